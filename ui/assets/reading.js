/* The interviewer, aloud: sentence by sentence, as soon as the first one is made; it stops at once when the person
   records, types, sends, or presses the button again. */
(() => {
  const byId = (id) => document.getElementById(id);
  const number = () => Number(byId("seen")?.querySelector("input")?.value || 0);
  const session = () => byId("session")?.querySelector("input, textarea")?.value || "";
  let on = false, chosen = false;
  try { on = localStorage.getItem("viva-read-aloud") === "on"; } catch { /* storage may be blocked in a frame */ }
  let about = null;
  let until = -1;  // turns up to here were read, or were there before
  let run = null;  // what is being read: its request, its sounds
  let blocked = false;
  const linked = new URLSearchParams(location.search).has("session");  // an interview that goes on: what was said was said

  const show = () => {
    const button = byId("read-aloud");
    if (!button) return;
    const off = about && about.speaking.off;
    button.setAttribute("aria-pressed", String(on && !off));
    button.classList.toggle("reading", Boolean(run));
    button.title = off || (on ? "Stop reading aloud" : "Read what the interviewer says aloud");
    button.querySelector(".words").textContent = blocked ? "Press to hear it" : "Read aloud";
    const why = byId("viva-reading-off");
    if (why) { why.textContent = off && chosen ? off : ""; why.hidden = !why.textContent; }
  };
  const stop = () => {
    if (!run) return;
    const mine = run;
    run = null;
    mine.stopped = true;
    mine.abort.abort();
    if (mine.sound) { mine.sound.pause(); mine.sound.removeAttribute("src"); }
    window.speechSynthesis?.cancel();
    for (const url of mine.urls) URL.revokeObjectURL(url);
    mine.wake?.();
    show();
  };
  const play = (mine, url) => new Promise((done, refused) => {
    const sound = new Audio(url);
    mine.sound = sound;
    mine.wake = done;
    sound.addEventListener("ended", done, { once: true });
    sound.addEventListener("error", () => (mine.stopped ? done() : refused(new Error("sound"))), { once: true });
    sound.play().catch((error) => (mine.stopped ? done() : refused(error)));
  });
  const utter = (mine, text) => new Promise((done) => {
    const words = new SpeechSynthesisUtterance(text);
    words.lang = "en-US";
    mine.wake = done;
    words.onend = words.onerror = done;
    window.speechSynthesis.speak(words);
  });
  const read = async (from) => {
    stop();
    const mine = { abort: new AbortController(), urls: [], queue: [], stopped: false, over: false };
    run = mine;
    blocked = false;
    show();
    const fetched = (async () => {
      const answer = await fetch(`speech/${session()}/lines?from=${from}`, { signal: mine.abort.signal });
      if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).error || "");
      for await (const row of window.vivaSpeech.rows(answer)) {
        if (mine.stopped) return;
        if (row.error) throw new Error(row.error);
        if (row.until !== undefined) until = Math.max(until, row.until);
        else mine.queue.push(row);
        mine.more?.();
      }
    })().catch((error) => { mine.error = error; }).finally(() => { mine.over = true; mine.more?.(); });
    try {
      while (!mine.stopped) {
        const row = mine.queue.shift();
        if (!row) { if (mine.over) break; await new Promise((more) => { mine.more = more; }); continue; }
        if (row.text) { await utter(mine, row.text); continue; }
        const url = URL.createObjectURL(new Blob([Uint8Array.from(atob(row.wav), (c) => c.charCodeAt(0))], { type: "audio/wav" }));
        mine.urls.push(url);
        await play(mine, url);
      }
      await fetched;
      if (mine.error && !mine.stopped) throw mine.error;
    } catch (error) {
      if (mine.stopped) return;
      blocked = error.name === "NotAllowedError";
      if (!blocked && error.message) { chosen = true; const why = byId("viva-reading-off"); if (why) { why.textContent = error.message; why.hidden = false; } }
    }
    if (run !== mine) return;
    stop();
    if (!on) return;
    if (number() > until && !blocked) next();
    else if (!mine.error && !blocked && window.vivaSpeech.option("hands-free") && byId("send") && !byId("send").disabled && !window.vivaSpeech.busy()) window.vivaSpeech.start();
  };
  const next = () => {
    const seen = number();
    if (until < 0 || seen < until || !session()) { until = seen; return; }
    if (seen === until || run || !on || !about || about.speaking.off) { if (!on) until = seen; return; }
    const from = until;
    until = seen;
    read(from);
  };

  document.addEventListener("click", (event) => {
    const at = event.target.closest && event.target.closest("#read-aloud, #send, #skip, #finish, #hint, #record, #submit-code");
    if (!at) return;
    if (at.id !== "read-aloud") { stop(); return; }
    chosen = true;
    if (about && about.speaking.off) { show(); return; }
    if (blocked) { read(-1); return; }
    on = !on;
    try { localStorage.setItem("viva-read-aloud", on ? "on" : "off"); } catch { /* as above */ }
    if (on) { window.vivaSpeech.warm("speak"); until = number(); read(-1); } else stop();
    show();
  }, true);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") stop(); });

  let asked = false, was = "";
  new MutationObserver(() => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      const id = session();
      if (id !== was) { until = on && !was && !linked ? 0 : -1; stop(); was = id; }
      show();
      next();
    });
  }).observe(document.documentElement, { childList: true, subtree: true });

  window.vivaReading = { stop, told: (found) => { about = found; if (on && !about.speaking.off) window.vivaSpeech.warm("speak"); show(); next(); } };
})();
