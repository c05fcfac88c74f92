/* The profile's secret: kept in this browser's storage, taken from a private link only when the person says so. */
(() => {
  const KEY = "viva-profile", SECRET = /^[0-9a-f]{32}$/;
  const read = () => { try { return localStorage.getItem(KEY) || ""; } catch { return ""; } };
  const root = document.documentElement;
  let here = read();  // where storage is blocked, for as long as the page is open
  let offered = "";
  const look = () => {
    const found = location.hash.match(/^#profile=([0-9a-f]{32})$/);
    if (!found) return;
    if (found[1] !== read()) offered = found[1];
    history.replaceState(null, "", location.pathname + location.search + "#history");
    root.toggleAttribute("data-profile-offered", Boolean(offered));
  };
  look();
  window.addEventListener("hashchange", look);
  const refresh = () => { const button = document.getElementById("profile-refresh"); if (button) button.click(); };
  window.addEventListener("hashchange", () => { if (location.hash === "#history" && here) refresh(); });
  window.addEventListener("storage", (event) => { if (event.key === KEY) { here = event.newValue || ""; refresh(); } });

  const keep = (secret) => {
    here = SECRET.test(secret || "") ? secret : "";
    try { if (here) localStorage.setItem(KEY, here); else localStorage.removeItem(KEY); } catch { /* blocked in some frames */ }
  };
  window.vivaProfile = {
    keep,
    kept: () => here,
    take: () => { const taken = offered; offered = ""; root.removeAttribute("data-profile-offered"); keep(taken); return taken; },
    leave: () => { keep(""); return ""; },
    link: (secret) => (SECRET.test(secret || "") ? `${location.origin}${location.pathname}#profile=${secret}` : ""),
    save: (text) => {
      if (text) {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
        link.download = "viva-profile.json";
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10000);
      }
      return "";
    },
    // The drill is a choice of the form only while something is due.
    marks: () => {
      const drill = document.querySelector("#mode input[value=drill]"), line = document.getElementById("viva-drill");
      if (!drill || !line) return;
      drill.disabled = !Number(line.dataset.due);
      if (drill.disabled && drill.checked) document.querySelector("#mode input").click();
      drill.setAttribute("aria-describedby", "viva-drill");
    },
  };
  document.addEventListener("click", async (event) => {
    const tool = event.target.closest && event.target.closest("[data-viva=profile-link]");
    if (!tool) return;
    const box = document.querySelector("#profile-link textarea, #profile-link input");
    const said = document.getElementById("viva-said");
    try { await navigator.clipboard.writeText(box.value); tool.textContent = "Copied"; if (said) said.textContent = "Link copied"; }
    catch { box.focus(); box.select(); }
    setTimeout(() => { tool.textContent = "Copy the link"; }, 1600);
  });
})();
