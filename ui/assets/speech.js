/* Answering aloud: record, see what was understood while speaking, correct it, send. Nothing is sent by itself unless
   the person chose so, and what stands in the answer box is only ever added to. */
(() => {
  const byId = (id) => document.getElementById(id);
  const session = () => byId("session")?.querySelector("input, textarea")?.value || "";
  const box = () => document.querySelector("#answer textarea");
  const spokenBox = () => byId("spoken")?.querySelector("input, textarea");
  const memory = (name, value) => {
    try { if (value === undefined) return localStorage.getItem(`viva-${name}`) || ""; localStorage.setItem(`viva-${name}`, value); }
    catch { /* storage may be blocked in a frame */ }
    return "";
  };
  const type = (field, text) => { field.value = text; field.dispatchEvent(new Event("input", { bubbles: true })); };
  const make = (name, props = {}, ...children) => { const e = Object.assign(document.createElement(name), props); e.append(...children); return e; };
  const clock = (s) => `${Math.floor(s / 60)}:${String(Math.floor(s % 60)).padStart(2, "0")}`;

  const LONG_SILENCE = 20, HANDS_FREE_SILENCE = 3.5, PIECE = 0.75;  // seconds
  const TRIES = 5;
  const LOST = "The connection was lost. What you recorded is kept here: try again when it is back.";
  const GONE = Symbol("gone");
  let about = { listening: { off: "", sends_to: "" }, speaking: { off: "", browser: false } };
  let known = false;
  let phase = "idle";  // idle, agreeing, asking, recording, writing, failed
  let take = null;  // the recording at hand: its audio, and how much of it the server has
  let review = null;  // the last transcript
  let message = null;  // { text, link, bad }

  // ------------------------------------------------------------------------------------------ the server
  class Refused extends Error { constructor(text, status) { super(text); this.status = status; } }
  const ask = async (path, options = {}) => {
    const answer = await fetch(`speech/${path}`, options);
    if (answer.status === 204) return null;
    const body = await answer.text();
    let told = {};
    try { told = JSON.parse(body); } catch { if ((answer.headers.get("Content-Type") || "").startsWith("text/plain")) told = { error: body }; }
    if (!answer.ok) throw new Refused(told.error || "The server refused the recording. Try again, or type your answer.", answer.status);
    return told;
  };
  const warmed = new Set();
  const warm = (part) => { if (!warmed.has(part)) { warmed.add(part); ask(`warm/${part}`, { method: "POST" }).catch(() => warmed.delete(part)); } };
  const agreed = () => (about.listening.sends_to ? memory("speech-agreed") : "");

  // ------------------------------------------------------------------------------------------ recording
  const framed = () => { try { return window.self !== window.top; } catch { return true; } };
  const policy = () => { const p = document.permissionsPolicy || document.featurePolicy; return !p || p.allowsFeature("microphone"); };
  const OWN_TAB = { text: "Open Viva in its own tab", href: () => location.href };
  const why = (error) => {
    if (!window.isSecureContext || !navigator.mediaDevices) return { text: "A browser gives the microphone only to pages over https, or on this computer itself. Typing works as before." };
    if (!policy()) return { text: "This page is embedded in another one, which does not let it use the microphone.", link: OWN_TAB };
    switch (error && error.name) {
      case "NotAllowedError": case "SecurityError":
        return { text: "The browser did not allow the microphone. Allow it at the left end of the address bar, then record again; or type your answer.", link: framed() ? OWN_TAB : null };
      case "NotFoundError": case "OverconstrainedError":
        return { text: "No microphone was found. Connect one and record again, or type your answer." };
      case "NotReadableError": case "AbortError":
        return { text: "The microphone is in use by another program. Close that one and record again, or type your answer." };
      default:
        return { text: "The microphone could not be started. Try again, or type your answer." };
    }
  };

  const start = async () => {
    if (phase !== "idle" && phase !== "failed") return;
    window.vivaReading?.stop();
    message = null;
    if (about.listening.off) { message = { text: `Recording is off. ${about.listening.off}` }; render(); return; }
    if (about.listening.sends_to && agreed() !== about.listening.sends_to) { phase = "agreeing"; render(); return; }
    if (!session()) { message = { text: "Start an interview first." }; render(); return; }
    warm("listen");
    phase = "asking";
    render();
    const mine = { session: session(), pieces: [], rate: 0, count: 0, sent: 0, name: "", text: "", silence: 0, began: 0, level: 0, voiced: false, told: 0, tries: 0, over: false };
    try {
      if (!navigator.mediaDevices || !policy()) throw new Error("unavailable");
      mine.stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true } });
      if (phase !== "asking") { release(mine); return; }
      mine.context = new AudioContext();
      await mine.context.audioWorklet.addModule(document.querySelector("meta[name=viva-microphone]").content);
      const source = mine.context.createMediaStreamSource(mine.stream);
      mine.node = new AudioWorkletNode(mine.context, "viva-microphone", { numberOfOutputs: 0 });
      mine.node.port.onmessage = ({ data }) => heard(mine, data);
      source.connect(mine.node);
      await mine.context.resume();
      mine.stream.getAudioTracks()[0].addEventListener("ended", () => { if (take === mine && phase === "recording") stop(); });
    } catch (error) {
      release(mine);
      phase = "idle";
      message = { ...why(error), bad: true };
      render();
      return;
    }
    mine.began = performance.now();
    take = mine;
    phase = "recording";
    review = null;
    render();
    say("Recording. Press Stop when you are done.");
    mine.upload = upload(mine);
  };
  const release = (mine) => { mine.stream?.getTracks().forEach((track) => track.stop()); mine.context?.close().catch(() => {}); };
  const heard = (mine, { samples, rate, level }) => {
    if (mine.over) return;
    mine.rate = rate;
    mine.pieces.push(samples);
    mine.count += samples.length;
    mine.level = Math.max(level, mine.level * 0.6);
    mine.wake?.();
    meter(mine);
  };

  // One request at a time, in order. A server that has forgotten the recording gets it again from its beginning.
  const upload = async (mine) => {
    for (;;) {
      const rest = mine.count - mine.sent;
      if (mine.cancelled) return;
      if (!rest && mine.over) return;
      if (rest < (mine.over ? 1 : PIECE * (mine.rate || 16000))) { await new Promise((wake) => { mine.wake = wake; }); continue; }
      try {
        if (!mine.name) { mine.name = (await ask(`${mine.session}/recordings?agreed=${encodeURIComponent(agreed())}`, { method: "POST" })).recording; mine.sent = 0; }
        const piece = cut(mine, mine.sent, Math.min(mine.count, mine.sent + 15 * mine.rate));
        const told = await ask(`${mine.session}/recordings/${mine.name}?rate=${mine.rate}`, { method: "POST", body: piece });
        mine.sent += piece.length;
        mine.tries = 0;
        listening(mine, told);
      } catch (error) {
        if (error instanceof Refused && error.status === 404 && mine.tries++ < TRIES) { mine.name = ""; continue; }
        if ((!(error instanceof Refused) || error.status === 429) && mine.tries++ < TRIES) { await new Promise((r) => setTimeout(r, 400 * mine.tries)); continue; }
        failed(mine, error);
        return;
      }
    }
  };
  const cut = (mine, from, to) => {
    const out = new Int16Array(to - from);
    let at = 0;
    for (const piece of mine.pieces) {
      const low = Math.max(from, at), high = Math.min(to, at + piece.length);
      if (low < high) out.set(piece.subarray(low - at, high - at), low - from);
      at += piece.length;
      if (at >= to) break;
    }
    return out;
  };
  const listening = (mine, told) => {
    mine.text = told.text;
    mine.silence = told.silence;
    const seconds = mine.sent / mine.rate;
    if (seconds - told.silence > 0.3) mine.voiced = true;
    if (told.silence < LONG_SILENCE / 2) mine.told = 0;
    if (told.silence >= LONG_SILENCE && !mine.told) mine.told = 1;
    if (phase === "recording" && take === mine && option("hands-free") && mine.voiced && told.silence >= HANDS_FREE_SILENCE) { stop(); return; }
    if (take === mine) render();
  };
  const failed = (mine, error) => {
    if (mine.cancelled) return;
    mine.over = true;
    release(mine);
    if (take !== mine) return;
    phase = "failed";
    message = { text: error instanceof Refused ? error.message : LOST, bad: true };
    render();
  };

  const stop = async () => {
    if (phase !== "recording" || !take) return;
    const mine = take;
    phase = "writing";
    mine.stopped = performance.now();
    render();
    await new Promise((r) => setTimeout(r, 300));  // the last word is still on its way through the worklet
    mine.over = true;
    release(mine);
    mine.wake?.();
    await written(mine);
  };
  const written = async (mine) => {
    await mine.upload;
    if (mine.cancelled || take !== mine || phase !== "writing") return;
    try {
      if (!mine.name) throw new Refused("The recording is empty: nothing came from the microphone. Check that it is not muted, and record again.", 400);
      mine.abort = new AbortController();
      const told = await ask(`${mine.session}/recordings/${mine.name}/finish`, { method: "POST", signal: mine.abort.signal });
      if (!mine.cancelled) arrived(told, mine);
    } catch (error) {
      if (mine.cancelled) return;
      mine.name = "";  // the server has dropped it; trying again sends it anew
      if (error instanceof Refused && error.status === 404 && mine.tries++ < TRIES) { mine.sent = 0; mine.upload = upload(mine); await written(mine); return; }
      failed(mine, error);
    }
  };
  const again = async () => {
    const mine = take;
    if (!mine || phase !== "failed") return;
    Object.assign(mine, { name: "", sent: 0, tries: 0, over: true });
    phase = "writing";
    message = null;
    mine.stopped = performance.now();
    render();
    mine.upload = upload(mine);
    await written(mine);
  };
  const discard = () => {
    const mine = take;
    if (mine) {
      mine.cancelled = mine.over = true;
      mine.abort?.abort();
      release(mine);
      mine.wake?.();
      if (mine.name) ask(`${mine.session}/recordings/${mine.name}`, { method: "DELETE" }).catch(() => {});
    }
    take = null;
    phase = "idle";
    message = null;
    render();
    byId("record")?.focus({ preventScroll: true });
  };

  // ------------------------------------------------------------------------------------------ the transcript
  const arrived = (told, mine) => {
    phase = "idle";
    take = null;
    if (!told.text) {
      message = { text: "No words were heard in this recording. Speak a little closer to the microphone, or type your answer.", bad: true };
      render();
      return;
    }
    const field = box();
    const before = field.value;
    const gap = before && !/\s$/.test(before) ? " " : "";
    type(field, before + gap + told.text);
    field.scrollTop = field.scrollHeight;
    const names = spokenBox();
    if (names && told.id) type(names, [names.value, told.id].filter(Boolean).join(" "));
    review = { ...told, at: before.length + gap.length, wav: mine?.count ? () => wav(mine) : null };
    message = null;
    render();
    say("Your words stand in the answer box.");
    if (option("at-once") || option("hands-free")) {
      setTimeout(() => { const send = byId("send"); if (send && !send.disabled) send.click(); else { message = { text: "Not sent yet: the interviewer is still at work. Send it when it is your turn." }; render(); } }, 80);
    } else if (matchMedia("(hover: hover)").matches) { field.focus({ preventScroll: true }); }
  };
  const say = (text) => { const region = byId("viva-said"); if (region) { region.textContent = ""; region.textContent = text; } };
  const find = (words, near) => {
    const text = box()?.value || "";
    const places = [];
    for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) places.push(at);
    return places.sort((a, b) => Math.abs(a - near) - Math.abs(b - near))[0] ?? -1;
  };
  const choose = (words, near) => {
    const field = box(), at = find(words, near);
    if (at < 0) { say("These words are not in the answer box any more."); return; }
    field.focus();
    field.setSelectionRange(at, at + words.length);
  };
  const undo = (words, heardAs, near) => {
    const field = box(), at = find(words, near);
    if (at >= 0) type(field, field.value.slice(0, at) + heardAs + field.value.slice(at + words.length));
  };
  const wav = (mine) => {
    const samples = cut(mine, 0, mine.count), head = new DataView(new ArrayBuffer(44));
    const text = (at, words) => [...words].forEach((letter, i) => head.setUint8(at + i, letter.charCodeAt(0)));
    text(0, "RIFF"); head.setUint32(4, 36 + samples.length * 2, true); text(8, "WAVEfmt "); head.setUint32(16, 16, true);
    head.setUint16(20, 1, true); head.setUint16(22, 1, true); head.setUint32(24, mine.rate, true); head.setUint32(28, mine.rate * 2, true);
    head.setUint16(32, 2, true); head.setUint16(34, 16, true); text(36, "data"); head.setUint32(40, samples.length * 2, true);
    return new Blob([head, samples], { type: "audio/wav" });
  };

  // ------------------------------------------------------------------------------------------ a recording in a file
  const fromFile = async (file) => {
    if (!file || (phase !== "idle" && phase !== "failed")) return;
    if (about.listening.off) { message = { text: `Recording is off. ${about.listening.off}` }; render(); return; }
    if (about.listening.sends_to && agreed() !== about.listening.sends_to) { phase = "agreeing"; render(); return; }
    const mine = { session: session(), file: true, abort: new AbortController(), text: "", stopped: performance.now(), count: 0 };
    take = mine;
    phase = "writing";
    message = review = null;
    render();
    try {
      const answer = await fetch(`speech/${mine.session}/file?agreed=${encodeURIComponent(agreed())}`, { method: "POST", body: file, signal: mine.abort.signal });
      if (!answer.ok) throw new Refused(await answer.text().then((body) => { try { return JSON.parse(body).error; } catch { return body; } }) || "The file was refused.", answer.status);
      let last = null;
      for await (const told of rows(answer)) {
        if (told.error) throw new Refused(told.error, 400);
        last = told;
        mine.text = told.text;
        if (take === mine) render();
      }
      if (take === mine && last) arrived(last, mine);
    } catch (error) {
      if (mine.cancelled || take !== mine) return;
      take = null;
      phase = "idle";
      message = { text: error instanceof Refused ? error.message : LOST, bad: true };
      render();
    }
  };
  const rows = async function* (answer) {
    const reader = answer.body.getReader(), decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      const lines = rest.split("\n");
      rest = lines.pop();
      for (const line of lines) if (line) yield JSON.parse(line);
      if (done) return;
    }
  };

  // ------------------------------------------------------------------------------------------ what is shown
  const option = (name) => memory(`speech-${name}`) === "on";
  const button = (words, act, kind = "secondary", more = {}) => make("button", { type: "button", className: `sm ${kind}`, textContent: words, onclick: act, ...more });
  const meter = (mine) => {
    const bars = document.querySelector("#viva-speech .level");
    if (!bars || take !== mine) return;
    bars.style.setProperty("--level", Math.min(1, Math.sqrt(mine.level) * 1.4).toFixed(3));
    const time = document.querySelector("#viva-speech time");
    if (time) time.textContent = clock((performance.now() - mine.began) / 1000);
  };
  const strip = () => {
    if (phase === "agreeing") {
      return [
        make("p", {}, "Your recording would be sent to ", make("b", { textContent: about.listening.sends_to }), ", which turns it into text. Nothing else leaves this server."),
        make("div", { className: "tools" }, button("Agree and record", () => { memory("speech-agreed", about.listening.sends_to); phase = "idle"; start(); }, "primary"), button("Not now", () => { phase = "idle"; render(); })),
      ];
    }
    if (phase === "asking") return [line("busy", "Waiting for the microphone. The browser may ask you to allow it.")];
    if (phase === "recording") {
      const parts = [
        make("div", { className: "head" },
          make("span", { className: "level", ariaHidden: "true" }, ...Array.from({ length: 5 }, () => make("i"))),
          make("b", { textContent: "Listening" }), make("time", { textContent: clock((performance.now() - take.began) / 1000) }),
          make("span", { className: "tools" }, button("Discard", discard, "plain"))),
      ];
      if (take.text) parts.push(make("p", { className: "partial", textContent: tail(take.text) }));
      if (take.told === 1) {
        parts.push(make("div", { className: "gentle", role: "status" }, make("span", { textContent: "Go on? Take your time; nothing is sent until you stop." }),
          button("I am still thinking", () => { take.told = 2; render(); }, "plain")));
      }
      return parts;
    }
    if (phase === "writing") {
      const parts = [make("div", { className: "head" }, make("span", { className: "viva-dot", ariaHidden: "true" }), make("b", { textContent: "Writing down what you said" }), make("span", { className: "tools" }, button("Cancel", discard, "plain")))];
      parts.push(make("progress", { ariaLabel: "Being written down" }));
      if (take.text) parts.push(make("p", { className: "partial", textContent: tail(take.text) }));
      return parts;
    }
    if (phase === "failed") {
      return [note(message), make("div", { className: "tools" }, take?.count ? button("Try again", again, "primary") : "", button("Record anew", () => { discard(); start(); }), take?.count ? keep(() => wav(take)) : "", button("Dismiss", discard, "plain"))];
    }
    const parts = [];
    if (message) parts.push(make("div", { className: "head" }, note(message), close(() => { message = null; render(); })));
    if (review) parts.push(...reviewed());
    return parts;
  };
  const tail = (text) => (text.length > 280 ? `… ${text.slice(-280).replace(/^\S*\s/, "")}` : text);
  const line = (kind, words) => make("div", { className: `head ${kind}` }, make("span", { className: "viva-dot", ariaHidden: "true" }), make("span", { textContent: words }));
  const note = (told) => make("p", { className: told.bad ? "bad" : "", role: "alert" }, told.text, told.link ? " " : "", told.link ? make("a", { href: told.link.href(), target: "_blank", rel: "noopener", textContent: told.link.text }) : "");
  const close = (act) => make("button", { type: "button", className: "close", ariaLabel: "Dismiss", textContent: "×", onclick: act });
  const keep = (file) => make("a", { className: "keep", textContent: "Save the recording", href: "#", download: "viva-answer.wav", onclick: (event) => { const a = event.currentTarget; const url = URL.createObjectURL(file()); a.href = url; setTimeout(() => URL.revokeObjectURL(url), 60000); } });
  const reviewed = () => {
    const { text, doubtful, corrections } = review;
    const parts = [make("div", { className: "head" }, make("span", { className: "check", ariaHidden: "true", textContent: "✓" }), make("span", { textContent: "Your words stand in the box above. Correct them where they were misheard, then send." }), review.wav ? keep(review.wav) : "", close(() => { review = null; render(); }))];
    if (doubtful.length) {
      parts.push(make("div", { className: "chips" }, make("span", { textContent: "Not sure I heard:" }), ...doubtful.slice(0, 12).map(([low, high]) => {
        const words = text.slice(low, high);
        return make("button", { type: "button", className: "chip doubt", textContent: words, title: "Select it in the answer", onclick: () => choose(words, review.at + low) });
      }), doubtful.length > 12 ? make("span", { textContent: `and ${doubtful.length - 12} more` }) : ""));
    }
    if (corrections.length) {
      parts.push(make("div", { className: "chips" }, make("span", { textContent: "Put right:" }), ...corrections.slice(0, 12).map(([heardAs, low, high]) => {
        const words = text.slice(low, high);
        const chip = make("span", { className: "chip fixed" }, make("s", { textContent: heardAs }), " ", make("button", { type: "button", textContent: words, title: "Select it in the answer", onclick: () => choose(words, review.at + low) }), make("button", { type: "button", className: "undo", textContent: "undo", ariaLabel: `Undo: write ${heardAs}`, onclick: () => { undo(words, heardAs, review.at + low); chip.remove(); } }));
        return chip;
      })));
    }
    return parts;
  };
  let drawn = "";
  const render = () => {
    const place = byId("viva-speech"), record = byId("record");
    if (!place || !record) return;
    const on = phase === "recording";
    record.setAttribute("aria-pressed", String(on));
    record.querySelector(".words").textContent = on ? "Stop" : "Record";
    record.disabled = phase === "asking" || phase === "writing";
    record.classList.toggle("on", on);
    const key = JSON.stringify([phase, message, review?.id, take?.text, take?.told, known]);
    if (key === drawn && place.childElementCount) return;
    const focused = place.contains(document.activeElement) ? document.activeElement.textContent : "";
    drawn = key;
    place.replaceChildren(...strip());
    place.dataset.phase = phase;
    place.hidden = !place.childElementCount;
    if (focused) [...place.querySelectorAll("button")].find((b) => b.textContent === focused)?.focus({ preventScroll: true });
    const why = byId("viva-speech-off");
    if (why) { why.textContent = about.listening.off ? `Recording is off: ${about.listening.off}` : ""; why.hidden = !about.listening.off; }
    for (const input of document.querySelectorAll("[data-speech-option]")) input.checked = option(input.dataset.speechOption);
  };

  document.addEventListener("click", (event) => {
    const target = event.target.closest && event.target.closest("#record");
    if (target) { if (phase === "recording") stop(); else start(); }
  });
  document.addEventListener("pointerover", (event) => { if (event.target.closest && event.target.closest("#record") && !about.listening.off) warm("listen"); });
  document.addEventListener("change", (event) => {
    const name = event.target.dataset && event.target.dataset.speechOption;
    if (name) { memory(`speech-${name}`, event.target.checked ? "on" : "off"); if (name === "hands-free" && event.target.checked) warm("listen"); }
    if (event.target.id === "speech-file") { fromFile(event.target.files[0]); event.target.value = ""; byId("speech-options")?.removeAttribute("open"); }
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") byId("speech-options")?.removeAttribute("open"); });
  document.addEventListener("click", (event) => { const more = byId("speech-options"); if (more && more.open && !more.contains(event.target)) more.removeAttribute("open"); });
  document.addEventListener("input", (event) => { if (event.isTrusted && event.target === box()) window.vivaReading?.stop(); });
  window.addEventListener("pagehide", () => { if (take) release(take); });

  // The strip comes and goes with the composer. What was sent needs no review any more.
  let asked = false, had = "";
  new MutationObserver(() => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      const names = spokenBox()?.value || "";
      if (had && !names) review = null;
      had = names;
      const place = byId("viva-speech");
      if (!place) return;
      if (!known) { known = true; ask("status").then((told) => { about = told; drawn = ""; render(); window.vivaReading?.told(about); }).catch(() => { known = false; }); }
      if (!place.childElementCount) drawn = "";
      render();
    });
  }).observe(document.documentElement, { childList: true, subtree: true });

  window.vivaSpeech = { start, stop, option, rows, warm, busy: () => phase !== "idle", seconds: () => (take && take.rate ? take.sent / take.rate : 0) };
})();
