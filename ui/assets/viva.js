/* Small things of the page: keyboard, the link of the session, light and dark, what a screen reader is told. */
(() => {
  const byId = (id) => document.getElementById(id);
  const click = (id) => { const b = byId(id); if (b && !b.disabled) { b.click(); return true; } return false; };

  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
      const inEditor = event.target.closest && event.target.closest("#editor");
      const inWords = event.target.closest && event.target.closest("#words");
      if (inEditor ? click(event.shiftKey ? "try-code" : "submit-code") : inWords ? click("start-words") : click("send")) { event.preventDefault(); event.stopPropagation(); }
    }
  }, true);

  // Escape leaves the editor, where Tab indents: focus goes on to the button behind it.
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && event.target.closest && event.target.closest("#editor")) {
      const next = byId("submit-code"); if (next) { next.focus(); event.preventDefault(); }
    }
  }, true);

  // A button that is switched off while something is at work must not take the focus with it. Not on a touch screen,
  // where the keyboard would jump up.
  document.addEventListener("click", (event) => {
    if (!event.target.closest || !event.target.closest("#send, #hint, #skip, #finish")) return;
    const answer = document.querySelector("#answer textarea");
    if (answer && matchMedia("(hover: hover)").matches) answer.focus({ preventScroll: true });
  });

  // A click is answered at once, before the server can be: a bar under the top line, until something changes.
  const SENDS = "#send, #submit-code, #try-code, #hint, #skip, #finish, #stop, #start, #start-words, #pause, #resume, #search, #browse, #agree, #refuse, #delete-yes, #dispute-interview-again, #dispute-ended-again, #profile-keep, #profile-take, #profile-export, #profile-yes";
  let waiting = 0;
  const sending = (on) => { clearTimeout(waiting); document.body.classList.toggle("viva-sending", on); if (on) waiting = setTimeout(() => sending(false), 20000); };
  document.addEventListener("click", (event) => {
    const button = event.target.closest && event.target.closest(SENDS);
    if (button && !button.disabled) sending(true);
  });

  const say = (text) => { const region = byId("viva-said"); if (region) { region.textContent = ""; region.textContent = text; } };

  document.addEventListener("click", async (event) => {
    const tool = event.target.closest && event.target.closest("[data-viva]");
    if (!tool) return;
    if (tool.dataset.viva === "theme") {
      const dark = document.body.classList.toggle("dark");
      document.documentElement.toggleAttribute("data-switched", dark && !document.documentElement.hasAttribute("data-switched"));
      try { localStorage.setItem("viva-theme", dark ? "dark" : "light"); } catch { /* storage may be blocked in a frame */ }
      say(dark ? "Dark colours" : "Light colours");
    }
    if (tool.dataset.viva === "link") {
      const words = tool.querySelector(".words") || tool;
      const before = words.textContent;
      try { await navigator.clipboard.writeText(location.href); words.textContent = "Copied"; say("Link copied"); }
      catch { window.prompt("The link of this interview:", location.href); }
      setTimeout(() => { words.textContent = before; }, 1600);
    }
  });

  // The tabs: columns of the page, of which the one that the address's #fragment names is shown.
  const TABS = ["interview", "library", "history", "about"];
  const toTab = () => {
    const wanted = location.hash.slice(1);
    const tab = TABS.includes(wanted) ? wanted : "interview";
    document.documentElement.dataset.tab = tab;
    for (const link of document.querySelectorAll(".viva-tabs a")) {
      if (link.dataset.tab === tab) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
    }
    const name = tab === "interview" ? "" : tab[0].toUpperCase() + tab.slice(1) + " · ";
    document.title = name + "Viva, mock interviews";
    measure();
  };
  window.addEventListener("hashchange", () => { toTab(); scrollTo({ top: 0 }); });
  // Gradio's page has a base address, which a bare #fragment would lead to, away from ?session=.
  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest("a[data-tab]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    location.hash = link.dataset.tab;
  });

  let opened = new URL(location.href).searchParams.get("session") || "";
  window.addEventListener("popstate", () => {
    if ((new URL(location.href).searchParams.get("session") || "") !== opened) location.reload();
  });
  window.vivaLink = (id) => {
    const url = new URL(location.href);
    if (id) url.searchParams.set("session", id); else url.searchParams.delete("session");
    if (!id) url.hash = "";
    // A new interview is a step that the back button undoes.
    if (url.href !== location.href) history[id && !opened ? "pushState" : "replaceState"](null, "", url);
    if (opened && !id && window.vivaForget) window.vivaForget(opened);
    opened = id || "";
    const top = byId("viva-top"); if (top) top.classList.toggle("viva-open", Boolean(id));
    document.documentElement.toggleAttribute("data-open", Boolean(id));
    if (!id) toTab();
    measure();
  };

  // The editor measures its lines when it is made, which may be before its font has come or while it is hidden.
  const measure = () => { for (const wait of [60, 400]) setTimeout(() => window.dispatchEvent(new Event("resize")), wait); };
  if (document.fonts) document.fonts.ready.then(measure);

  // New messages come into view from their beginning: a long question is read from its top, not from its end.
  let rows = 0;
  const follow = () => {
    const box = document.querySelector("#chat .bubble-wrap");
    if (!box) { rows = 0; return; }
    const all = box.querySelectorAll(".message-row");
    if (all.length === rows) return;
    const first = all[rows && rows < all.length ? rows : all.length - 1];
    rows = all.length;
    const align = () => { box.scrollTop += first.getBoundingClientRect().top - box.getBoundingClientRect().top - 14; };
    if (first) { align(); setTimeout(align, 250); }  // again, when its Markdown has been laid out
  };
  // The newest result comes into view: within the bench where that scrolls, else by scrolling the page.
  let runs = 0, submitted = false;
  document.addEventListener("click", (event) => { if (event.target.closest && event.target.closest("#submit-code")) submitted = true; }, true);
  const showResult = () => {
    const all = document.querySelectorAll("#viva-results section");
    const before = runs;
    runs = all.length;
    if (!submitted || runs <= before) return;
    submitted = false;
    all[0].setAttribute("tabindex", "-1");
    all[0].focus({ preventScroll: true });
    const bench = byId("bench");
    const smooth = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
    if (bench.scrollHeight > bench.clientHeight + 4) {
      bench.scrollTo({ top: bench.scrollTop + all[0].getBoundingClientRect().top - bench.getBoundingClientRect().top - 8, behavior: smooth });
    } else if (all[0].getBoundingClientRect().top > innerHeight - 160) {
      all[0].scrollIntoView({ block: "center", behavior: smooth });
    }
  };
  // At the end of an interview the report stands on top, so the page goes there.
  let reported = null;
  const toReport = () => {
    const there = Boolean(byId("report"));
    if (there && reported === false) scrollTo({ top: 0 });
    if (byId("viva-top")) reported = there;
  };
  // What the server tells: a status, a notice, results, or what a search found.
  let told = "";
  const answered = () => {
    const now = ["viva-status", "viva-notice", "viva-tried", "viva-found", "profile-told", "profile-on"].map((id) => (byId(id) || { textContent: "" }).textContent).join("|") + (document.querySelector("#seen input") || { value: "" }).value;
    if (now !== told) { told = now; if (document.body.classList.contains("viva-sending")) sending(false); }
  };
  let asked = false;
  new MutationObserver(() => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; answered(); follow(); showResult(); toReport(); announce(); window.vivaKeep(); window.vivaProfile.marks(); });
  }).observe(document.documentElement, { childList: true, subtree: true });

  // Parts of the page come and go, so what a screen reader needs is put on whatever is there now.
  const announce = () => {
    for (const id of ["viva-notice", "viva-status", "viva-loading", "viva-tried", "viva-found", "dispute-interview-told", "dispute-ended-told", "profile-told"]) {
      const region = document.querySelector(`#${id} .html-container`);  // not the block, which also holds a clock
      if (region && !region.hasAttribute("aria-live")) { region.setAttribute("role", "status"); region.setAttribute("aria-live", "polite"); }
    }
    // Gradio labels a message with its raw Markdown; a reader hears who spoke, and then the message itself.
    for (const message of document.querySelectorAll("#chat [data-testid][aria-label]")) {
      const who = message.dataset.testid === "user" ? "You" : "Interviewer";
      if (message.getAttribute("aria-label") !== who) message.setAttribute("aria-label", who);
    }
    // What scrolls by itself can be reached by keyboard.
    for (const block of document.querySelectorAll("#chat pre:not([tabindex]), #chat [role=log]:not([tabindex])")) block.tabIndex = 0;
    const answer = document.querySelector("#answer textarea");
    if (answer && !answer.hasAttribute("aria-keyshortcuts")) answer.setAttribute("aria-keyshortcuts", "Control+Enter");
  };

  const settle = () => {
    let wanted = null;
    try { wanted = localStorage.getItem("viva-theme"); } catch { /* as above */ }
    if (wanted) document.body.classList.toggle("dark", wanted === "dark");
  };
  const watch = new MutationObserver(() => { if (document.querySelector(".viva-tabs")) { settle(); toTab(); watch.disconnect(); } });
  watch.observe(document.documentElement, { childList: true, subtree: true });
})();
