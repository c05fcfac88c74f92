/* What the browser keeps: drafts of what is being written, the list of interviews, and whether another tab went on.
   Everything stays in this browser's storage; where that is blocked (some frames), the page works without it. */
(() => {
  const byId = (id) => document.getElementById(id);
  const read = (key) => { try { return localStorage.getItem(key); } catch { return null; } };
  const write = (key, value) => { try { if (value) localStorage.setItem(key, value); else localStorage.removeItem(key); return true; } catch { return false; } };
  const session = () => new URL(location.href).searchParams.get("session") || "";
  const field = (id) => { const box = document.querySelector(`#${id} textarea, #${id} input`); return box ? box.value : ""; };
  const stateOf = async (id) => {
    const answer = await fetch(`session/${id}/state.json`, { cache: "no-store" });
    return answer.status === 404 ? null : answer.ok ? answer.json() : undefined;
  };

  // --- drafts: one of the answer and one of the code of each question, until they are sent
  const answerKey = () => `viva-draft:${session()}:answer`;
  const codeKey = () => `viva-draft:${session()}:code:${field("shown")}`;
  const editor = () => { const box = document.querySelector("#editor .cm-content"); const tile = box && (box.cmTile || box.cmView); return tile ? tile.view || (tile.root && tile.root.view) : null; };
  const later = (wait, act) => { let timer = 0; return () => { clearTimeout(timer); timer = setTimeout(act, wait); }; };
  let sent = "";  // code that was submitted: no draft any more
  const keepAnswer = later(250, () => { if (session()) write(answerKey(), field("answer")); });
  const keepCode = later(400, () => {
    const view = editor();
    if (!view || !session() || !field("shown")) return;
    const text = view.state.doc.toString();
    write(codeKey(), text === sent ? "" : text);
  });
  document.addEventListener("input", (event) => { if (event.target.closest && event.target.closest("#answer")) keepAnswer(); });
  for (const kind of ["keyup", "paste", "cut", "drop"]) {
    document.addEventListener(kind, (event) => { if (event.target.closest && event.target.closest("#editor")) keepCode(); }, true);
  }
  document.addEventListener("click", (event) => {
    if (!event.target.closest || !event.target.closest("#submit-code")) return;
    const view = editor();
    sent = view ? view.state.doc.toString() : "";
    write(codeKey(), "");
  }, true);
  const restored = new Set();
  const restore = () => {
    const id = session();
    if (!id) return;
    const box = document.querySelector("#answer textarea");
    if (box && !restored.has(answerKey())) {
      restored.add(answerKey());
      const text = read(answerKey());
      if (text && !box.value) { box.value = text; box.dispatchEvent(new Event("input", { bubbles: true })); }
    }
    const view = field("shown") && editor();
    if (view && !restored.has(codeKey())) {
      restored.add(codeKey());
      const text = read(codeKey());
      // The editor gets its starter at about the same time: put the draft in its place when that has happened.
      if (text) setTimeout(() => { const now = editor(); if (now) now.dispatch({ changes: { from: 0, to: now.state.doc.length, insert: text } }); }, 150);
    }
  };
  // A sent answer empties its box; so does its draft.
  const forgetSent = () => setTimeout(() => { if (!field("answer")) write(answerKey(), ""); }, 300);

  // --- the list of interviews, for the History tab
  const list = () => { try { return JSON.parse(read("viva-history") || "[]").filter((item) => /^[0-9a-f]{32}$/.test(item.id)); } catch { return []; } };
  const save = (items) => write("viva-history", items.length ? JSON.stringify(items.slice(0, 100)) : "");
  const remember = (id, state) => {
    const items = list();
    const known = items.find((item) => item.id === id) || { id, at: Date.now() / 1000 };
    if (state) Object.assign(known, { at: state.created, plan: state.plan, mode: state.mode, asked: state.asked, of: state.of, ended: state.ended, score: state.score });
    return save([known, ...items.filter((item) => item.id !== id)].sort((a, b) => b.at - a.at));
  };
  const forget = (id) => {
    save(list().filter((item) => item.id !== id));
    try { for (const key of Object.keys(localStorage)) if (key.startsWith(`viva-draft:${id}`)) localStorage.removeItem(key); } catch { /* storage is blocked */ }
  };
  const element = (name, attributes, ...children) => {
    const made = document.createElementNS(name === "svg" || attributes.svg ? "http://www.w3.org/2000/svg" : "http://www.w3.org/1999/xhtml", name);
    for (const [key, value] of Object.entries(attributes)) if (key !== "svg") made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const day = (at) => new Date(at * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  const chart = (items) => {
    const points = items.filter((item) => typeof item.score === "number").sort((a, b) => a.at - b.at);
    if (points.length < 2) return "";
    const [width, height, left, foot] = [640, 180, 44, 24];
    const x = (n) => left + 14 + (n * (width - left - 28)) / (points.length - 1);
    const y = (score) => 10 + (1 - score) * (height - foot - 10);
    const part = (name, attributes, text = "") => element(name, { svg: "1", ...attributes }, text);
    const spoken = points.map((item) => `${day(item.at)}: ${Math.round(item.score * 100)} %`).join("; ");
    const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Scores over time. ${spoken}` });
    for (const mark of [0, 0.5, 1]) {
      svg.append(part("line", { x1: left, x2: width, y1: y(mark), y2: y(mark), class: "grid" }));
      svg.append(part("text", { x: left - 8, y: y(mark) + 4, "text-anchor": "end" }, `${mark * 100} %`));
    }
    svg.append(part("polyline", { points: points.map((item, n) => `${x(n)},${y(item.score)}`).join(" "), class: "line" }));
    points.forEach((item, n) => svg.append(part("circle", { cx: x(n), cy: y(item.score), r: 5 })));
    svg.append(part("text", { x: left, y: height - 4 }, day(points[0].at)), part("text", { x: width, y: height - 4, "text-anchor": "end" }, day(points.at(-1).at)));
    return element("figure", { class: "viva-chart" }, element("figcaption", {}, "Scores over time"), svg);
  };
  const FRAMEWORKS = { pytorch: "PyTorch", tensorflow: "TensorFlow", both: "PyTorch and TensorFlow" };
  const row = (item) => {
    const words = (item.plan || "").split(" · ");
    const title = [FRAMEWORKS[words[0]] || "Interview", ...words.slice(1)].join(" · ").replaceAll("_", " ");
    const how = item.ended ? (typeof item.score === "number" ? `${Math.round(item.score * 100)} %` : "no score") : item.of ? `question ${item.asked} of ${item.of}` : "begun";
    const drop = element("button", { type: "button", "data-viva": "forget", "data-id": item.id, "aria-label": `Take ${title}, ${day(item.at)}, off this list` }, "Off the list");
    return element("li", {}, element("a", { href: `?session=${item.id}` }, title), element("span", { class: "when" }, `${day(item.at)}${item.mode ? ` · ${item.mode}` : ""}`), element("b", {}, how), drop);
  };
  const drawHistory = () => {
    const place = byId("viva-history");
    if (!place) return;
    const items = list();
    const blocked = !write("viva-probe", "1") || write("viva-probe", "") === false;
    const empty = blocked ? "This browser lets the page keep nothing here, so there is no history. The link of an interview still opens it." : "No interview yet. Each one that you start is listed here, in this browser only.";
    const content = items.length ? [chart(items), element("ol", { class: "viva-list" }, ...items.map(row)), element("button", { type: "button", class: "viva-button", "data-viva": "forget-all" }, "Forget this list")] : [element("p", { class: "viva-empty" }, empty)];
    place.replaceChildren(...content.filter(Boolean));
  };
  const refreshHistory = async (all = false) => {
    drawHistory();
    for (const item of list().filter((each) => all || !each.ended).slice(0, all ? 100 : 20)) {
      try {
        const state = await stateOf(item.id);
        if (state === null) forget(item.id); else if (state) remember(item.id, state);
      } catch { return; }
    }
    drawHistory();
  };
  document.addEventListener("click", (event) => {
    const tool = event.target.closest && event.target.closest("[data-viva^=forget]");
    if (!tool) return;
    if (tool.dataset.viva === "forget") forget(tool.dataset.id); else for (const item of list()) forget(item.id);
    drawHistory();
    const next = document.querySelector("#viva-history a") || document.querySelector(".viva-tabs a[aria-current]");
    if (next) next.focus();
  });
  window.addEventListener("hashchange", () => { if (location.hash === "#history") refreshHistory(); });

  // --- another tab that went on, an interview that is gone, and how long the work at hand takes
  let place = "";
  const tell = (text) => {
    const line = byId("viva-moved");
    if (!line) return;
    line.hidden = !text;
    if (line.firstElementChild.textContent !== text) line.firstElementChild.textContent = text;
  };
  const busy = () => document.querySelector("#viva-status .viva-status.busy");
  const look = async () => {
    const id = session(), seen = Number(field("seen"));
    if (!id || !seen || busy()) return;
    let state;
    try { state = await stateOf(id); } catch { return; }
    if (id !== session() || busy() || seen !== Number(field("seen"))) return;
    if (state === null) tell("This interview is not there any more: it was deleted, or kept for as long as it is kept.");
    else if (state && state.turns > seen) tell(state.phase === "ended" ? "This interview has ended in another tab." : "This interview went on in another tab.");
    else tell("");
    if (state) remember(id, state);
  };
  window.addEventListener("storage", (event) => {
    if (event.key === "viva-step" && event.newValue && event.newValue.startsWith(session()) && session()) look();
    if (event.key === "viva-history" && location.hash === "#history") drawHistory();
  });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); });
  window.addEventListener("focus", look);
  document.addEventListener("click", (event) => { if (event.target.closest && event.target.closest("[data-viva=again]")) location.reload(); });

  const minutes = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
  // When the time of an exam runs out: what stands in the answer box is sent, then the question is closed.
  let sentFor = "", closedFor = "";
  const timeUp = (clock, left) => {
    const send = byId("send"), expire = byId("expire"), key = clock.dataset.until;
    if (left < 2 && sentFor !== key) { sentFor = key; if (send && !send.disabled && field("answer").trim()) send.click(); return; }
    if (left < -1 && closedFor !== key) { closedFor = key; if (expire) expire.click(); }
  };
  let since = 0, asking = false;
  const tick = () => {
    const clock = document.querySelector(".viva-clock");
    if (clock) {
      const off = read("viva-clock") === "off";
      const left = Number(clock.dataset.until || 0) - Date.now() / 1000;
      const text = off ? "Show time" : clock.dataset.until ? `${minutes(Math.max(0, left))} left` : minutes(Math.max(0, Date.now() / 1000 - Number(clock.dataset.since)));
      if (clock.textContent !== text) clock.textContent = text;
      if (clock.dataset.until && !busy()) timeUp(clock, left);
      clock.classList.toggle("late", !off && Boolean(clock.dataset.until) && left < 60);
    }
    const working = busy();
    if (!working) { since = 0; return; }
    since = since || Date.now();
    const seconds = (Date.now() - since) / 1000;
    const words = working.querySelector(".since");
    if (!words || seconds < 1) return;
    words.textContent = `${Math.floor(seconds)} s${words.dataset.ahead || ""}`;
    if (seconds > 2 && !asking && session()) {
      asking = true;
      stateOf(session()).then((state) => { words.dataset.ahead = state && state.waits && state.waits.ahead ? `, ${state.waits.ahead} before you` : ""; }, () => {}).finally(() => { setTimeout(() => { asking = false; }, 1500); });
    }
  };
  setInterval(tick, 500);
  document.addEventListener("click", (event) => {
    const clock = event.target.closest && event.target.closest("[data-viva=clock]");
    if (clock) { write("viva-clock", read("viva-clock") === "off" ? "" : "off"); tick(); }
  });

  // --- called by the page's script when something changed
  let turns = "";
  window.vivaKeep = () => {
    restore();
    const now = `${session()}:${field("seen")}`;
    if (session() && now !== turns && Number(field("seen"))) {
      if (turns.split(":")[0] === session()) write("viva-step", `${now}:${Date.now()}`);
      else remember(session());
      turns = now;
      forgetSent();
      tell("");
      if (!busy()) stateOf(session()).then((state) => { if (state) remember(session(), state); }, () => {});
    }
    if (session() !== place) { place = session(); if (!place) tell(""); }
    const shown = byId("viva-history");
    if (shown && !shown.childElementCount) refreshHistory();
  };
  window.vivaForget = forget;
  window.vivaPrune = () => refreshHistory(true);
})();
