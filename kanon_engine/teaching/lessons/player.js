// Plays lessons: a list of them, scenes with questions, responses to answers, a score. It makes no network requests.
// Both a file opened without a server and a page of the app run it, so it is one classic script without imports.

function playLessons(root, lessons, options = {}) {
  const scores = {}; // name of a lesson → scene number → { tries, solved, shown }
  let lesson = null;
  let place = 0; // the current scene; scenes.length is the end
  let large = false;
  let dark = options.dark ?? matchMedia("(prefers-color-scheme: dark)").matches;

  const make = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "html") made.innerHTML = value;
      else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else if (value !== false && value != null) made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children);
    return made;
  };
  const button = (words, act, attributes = {}) => make("button", { type: "button", onclick: act, ...attributes }, words);
  const count = (value) => value.toLocaleString("en-US");
  const frame = make("div", { class: "kanon-lessons" });
  root.replaceChildren(frame);

  function record(number = place) {
    scores[lesson.name] ??= {};
    return (scores[lesson.name][number] ??= { tries: 0, solved: false, shown: false });
  }

  function tally(one) {
    const asked = one.scenes.map((scene, number) => [scene, number]).filter(([scene]) => scene.ask);
    const kept = asked.map(([, number]) => scores[one.name]?.[number]).filter(Boolean);
    return {
      asked: asked.length,
      first: kept.filter((own) => own.solved && own.tries === 1).length,
      solved: kept.filter((own) => own.solved).length,
    };
  }

  function go(name, number = 0) {
    lesson = lessons.find((one) => one.name === name) ?? null;
    place = lesson ? Math.max(0, Math.min(number, lesson.scenes.length)) : 0;
    if (options.address) {
      const there = lesson ? `#${lesson.name}${place ? `/${place + 1}` : ""}` : "";
      if (location.hash !== there) location.hash = there;
    }
    show();
    frame.querySelector("h2")?.focus();
  }

  function show() {
    frame.classList.toggle("large", large);
    frame.classList.toggle("dark", dark);
    frame.replaceChildren(head(), ...(lesson ? [place < lesson.scenes.length ? scene() : end(), foot()] : [list()]));
  }

  function head() {
    const home = options.only ? [] : [button("All lessons", () => go(null), { class: "quiet" })];
    const where = lesson && place < lesson.scenes.length ? `${place + 1} of ${lesson.scenes.length}` : "";
    return make(
      "header", {},
      ...(lesson ? home : []),
      make("h1", {}, lesson ? lesson.title : "Six lessons on k-anonymity"),
      make("span", { class: "where" }, where),
      button("Projector", () => { large = !large; show(); }, {
        class: "quiet", "aria-pressed": String(large), title: "Large text, readable from the back of a room",
      }),
      ...(options.dark === undefined ? [button("Dark", () => { dark = !dark; show(); }, {
        class: "quiet", "aria-pressed": String(dark), title: "Dark or light",
      })] : []),
    );
  }

  function list() {
    const cards = lessons.map((one, number) => {
      const { asked, first, solved } = tally(one);
      const done = solved ? `${solved} of ${asked} solved, ${first} on the first try` : `${one.minutes} minutes, ${asked} questions`;
      return button("", () => go(one.name), {
        class: "card", html: `<b>${number + 1}. ${one.title}</b><span>${one.about}</span><i>${done}</i>`,
      });
    });
    const hint = "Each lesson asks you to do something and says why it is right or wrong. If all of this is new, start with the first.";
    return make("main", { class: "list" }, make("p", {}, hint), make("div", { class: "cards" }, ...cards));
  }

  function foot() {
    const last = lesson.scenes.length;
    const dots = Array.from({ length: last + 1 }, (_, number) => {
      const name = number < last ? `Scene ${number + 1}: ${lesson.scenes[number].title}` : "Your score";
      const solved = number < last && lesson.scenes[number].ask && record(number).solved;
      return button(solved ? "✓" : "", () => go(lesson.name, number), {
        class: "dot", title: name, "aria-label": name + (solved ? ", solved" : ""), "aria-current": number === place ? "step" : null,
      });
    });
    return make(
      "footer", {},
      button("← Back", () => go(lesson.name, place - 1), { class: "back", disabled: place === 0 }),
      make("nav", { "aria-label": "Scenes" }, ...dots),
      place < last ? button("Next →", () => go(lesson.name, place + 1), { class: "next" }) : onward(),
    );
  }

  function onward() {
    const next = lessons[lessons.indexOf(lesson) + 1];
    if (options.only) return options.next ? button("Next lesson →", options.next, { class: "next" }) : make("span");
    return next
      ? button("Next lesson →", () => go(next.name), { class: "next" })
      : button("All lessons", () => go(null), { class: "next" });
  }

  function end() {
    const { asked, first, solved } = tally(lesson);
    const score = `You solved ${solved} of ${asked} questions, ${first} of them on the first try.`;
    const missing = lesson.scenes.flatMap((one, number) => (one.ask && !record(number).solved ? [number] : []));
    const back = missing.map((number) =>
      button(`${number + 1}. ${lesson.scenes[number].title}`, () => go(lesson.name, number), { class: "quiet" }));
    return make(
      "main", { class: "end" },
      make("h2", { tabindex: "-1" }, "What to remember"),
      make("ul", {}, ...lesson.remember.map((one) => make("li", { html: one }))),
      make("p", { class: "score", role: "status" }, score),
      ...(back.length ? [make("p", {}, "Not solved yet: ", ...back)] : []),
      make("p", { class: "sources" }, lesson.sources),
    );
  }

  function scene() {
    const own = lesson.scenes[place];
    const kept = own.ask ? record() : null;
    const said = make("p", { class: "said", "aria-live": "polite" });
    const figure = make("figure", {}, make("div", { class: "stage", html: own.picture }), said);
    const over = figure.querySelector(".over");
    const words = make("section", { class: "words" }, make("h2", { tabindex: "-1" }, own.title));
    for (const one of own.words) words.append(make("p", { html: one }));
    const tell = (text) => { said.textContent = text; };
    const told = (event) => {
      const label = event.target.closest?.("[data-label]")?.dataset.label;
      if (label !== undefined) tell(label);
    };
    figure.addEventListener("pointerover", told);
    figure.addEventListener("focusin", told);
    const slider = own.states.length ? sliding(own, over, tell, words) : null;
    if (own.ask) words.append(asking(own, kept, figure, over, slider));
    return make("main", { class: own.picture || own.ask?.kind === "fill" ? "scene" : "scene alone" }, words, figure);
  }

  // Give each area of a picture the color of its digit.
  function color(over, fills) {
    const areas = fills ? over.ownerSVGElement.querySelectorAll(".area path") : [];
    areas.forEach((one, number) => one.setAttribute("class", `c${fills[number]}`));
  }

  function sliding(own, over, tell, words) {
    const input = make("input", {
      type: "range", min: 0, max: own.states.length - 1, step: 1, value: 0, "aria-label": own.slider,
      oninput: () => draw(),
    });
    const name = make("output");
    const line = make("p", { class: "state", "aria-live": "polite" });
    function draw() {
      const state = own.states[Number(input.value)];
      if (over) over.innerHTML = state.drawn;
      color(over, state.fills);
      name.textContent = state.name;
      input.setAttribute("aria-valuetext", state.name);
      line.innerHTML = state.words;
    }
    words.append(make("label", { class: "slider" }, make("span", {}, own.slider), input, name), line);
    draw();
    return { name: () => own.states[Number(input.value)].name, to(wanted) {
      input.value = own.states.findIndex((state) => state.name === wanted);
      draw();
    } };
  }

  // A question: its words, its controls, the response to an answer, and a way out after a wrong one.
  function asking(own, kept, figure, over, slider) {
    const { ask } = own;
    const feedback = make("p", { class: "feedback", role: "status" });
    const out = button("Show me", () => reveal(), { class: "quiet", hidden: true });
    const area = make("div", { class: "ask" }, make("p", { class: "prompt", html: ask.prompt }));
    const doing = { pick: picking, drag: dragging, type: typing, fill: filling }[ask.kind](own, answer, figure, area, slider);
    area.append(feedback, out);
    if (kept.solved || kept.shown) settle(kept.solved ? `✓ ${ask.feedback.right}` : ask.feedback.right);

    function answer(right, name) {
      if (kept.solved || kept.shown) return;
      kept.tries += 1;
      if (right) {
        kept.solved = true;
        settle(`✓ ${ask.feedback.right}`);
      } else {
        feedback.className = "feedback wrong";
        feedback.innerHTML = `✗ ${ask.feedback.of[name] ?? ask.feedback.wrong}`;
        out.hidden = false;
        out.scrollIntoView({ block: "nearest" });
      }
    }
    function reveal() {
      kept.shown = true;
      settle(ask.feedback.right);
    }
    function settle(words) {
      feedback.className = "feedback right";
      feedback.innerHTML = words;
      out.hidden = true;
      doing.settle();
      if (own.after && over) over.innerHTML += own.after;
      color(over, own.after_fills);
      frame.querySelector("footer")?.replaceWith(foot());
      frame.querySelector("footer .next")?.classList.add("ready");
      feedback.scrollIntoView?.({ block: "nearest" });
    }
    return area;
  }

  function picking(own, answer, figure, area) {
    const { ask } = own;
    const right = new Set(ask.right);
    const chosen = new Set();
    let settled = false;
    const named = Object.entries(ask.choices);
    const buttons = named.map(([name, words]) => button(words, () => pick(name), { class: "choice", "data-item": name }));
    if (buttons.length) area.append(make("div", { class: "choices" }, ...buttons));
    const items = buttons.length ? buttons : [...figure.querySelectorAll("[data-item]")];
    if (!buttons.length) {
      items.forEach((one, number) => {
        one.setAttribute("role", "button");
        one.setAttribute("tabindex", number ? "-1" : "0"); // one stop for Tab; arrow keys continue from there
        one.setAttribute("aria-label", one.dataset.label);
        one.addEventListener("click", () => pick(one.dataset.item));
        one.addEventListener("keydown", (event) => {
          const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
          if (event.key === "Enter" || event.key === " ") pick(one.dataset.item);
          else if (step) reach(items[(number + step + items.length) % items.length]);
          else return;
          event.preventDefault();
          event.stopPropagation();
        });
      });
      figure.classList.add("asks");
    }
    if (ask.every) area.append(button("Check", check, { class: "check" }));

    function reach(one) {
      items.forEach((other) => other.setAttribute("tabindex", other === one ? "0" : "-1"));
      one.focus();
    }
    function pick(name) {
      if (settled) return;
      if (ask.every) {
        if (!chosen.delete(name)) chosen.add(name);
      } else {
        chosen.clear();
        chosen.add(name);
      }
      paint();
      if (!ask.every) answer(right.has(name), name);
    }
    function check() {
      const same = chosen.size === right.size && [...chosen].every((name) => right.has(name));
      const stranger = [...chosen].find((name) => !right.has(name));
      answer(same, stranger ?? (chosen.size ? "too few" : "none"));
    }
    function paint() {
      for (const one of items) {
        const on = chosen.has(one.dataset.item);
        one.classList.toggle("chosen", on);
        one.setAttribute("aria-pressed", String(on));
      }
    }
    return {
      settle() {
        settled = true;
        for (const one of items) {
          one.classList.toggle("answer", right.has(one.dataset.item));
        }
        area.querySelector(".check")?.remove();
      },
    };
  }

  function dragging(own, answer, figure, area, slider) {
    const { ask } = own;
    area.append(button("This one", () => answer(ask.right.includes(slider.name()), slider.name()), { class: "check" }));
    return {
      settle() {
        if (!ask.right.includes(slider.name())) slider.to(ask.right[0]);
        area.querySelector(".check")?.remove();
      },
    };
  }

  function typing(own, answer, figure, area) {
    const { ask } = own;
    const field = make("input", { type: "text", inputmode: "decimal", "aria-label": "Your answer", autocomplete: "off", size: 8 });
    const form = make("form", { class: "typed", onsubmit: (event) => {
      event.preventDefault();
      const value = Number(field.value.replace(/[,\s]/g, "").replace(/%$/, ""));
      if (field.value.trim() && Number.isFinite(value)) answer(Math.abs(value - ask.right) <= ask.within + 1e-9, "");
      else field.focus();
    } }, field, make("span", {}, ask.unit), make("button", { class: "check" }, "Check"));
    area.append(form);
    return {
      settle() {
        field.value = count(ask.right);
        field.disabled = true;
        form.querySelector("button")?.remove();
      },
    };
  }

  // Bins that are filled by hand: an item is picked up and put into a bin or back on the table.
  function filling(own, answer, figure, area) {
    const { ask } = own;
    const total = ask.items.reduce((sum, [, weight]) => sum + weight, 0);
    const at = ask.items.map(() => -1);
    let held = null;
    let settled = false;
    const stage = figure.querySelector(".stage");
    stage.classList.add("bins");
    area.append(button("Check", check, { class: "check" }), button("Empty the bins", () => { at.fill(-1); held = null; draw(); }, { class: "quiet" }));

    function filled() {
      const levels = Array(ask.bins).fill(0);
      at.forEach((bin, number) => { if (bin >= 0) levels[bin] += ask.items[number][1]; });
      return levels;
    }
    function block(number, whole) {
      const [name, weight] = ask.items[number];
      const size = whole ? `height:${(100 * weight) / whole}%` : "";
      return button(`${name} ${count(weight)}`, (event) => { event.stopPropagation(); take(number); }, {
        class: `block${held === number ? " chosen" : ""}${whole && weight / whole < 0.03 ? " thin" : ""}`,
        style: size, "aria-pressed": String(held === number), "data-block": name, title: `${name}: ${count(weight)}`,
      });
    }
    function take(number) {
      if (settled) return;
      held = held === number ? null : number;
      draw(`[data-block="${ask.items[number][0]}"]`);
    }
    function put(bin) {
      if (settled || held === null) return;
      at[held] = bin;
      held = null;
      draw(bin < 0 ? ".table" : `[data-bin="${bin}"]`);
    }
    function draw(focused) {
      const levels = filled();
      const whole = Math.max(2 * ask.k, ...levels) * 1.08;
      const most = Math.min(whole, Math.max(total / 2, 2.2 * ask.k, ...levels.map((own) => own * 1.05)));
      const bins = levels.map((own, bin) => make(
        "div", { class: `bin${own && own < ask.k ? " low" : ""}${own && own === Math.max(...levels) ? " full" : ""}`, onclick: () => put(bin) },
        make("div", { class: "stack" },
          ...at.flatMap((one, number) => (one === bin ? [block(number, most)] : [])),
          make("div", { class: "line", style: `bottom:${(100 * ask.k) / most}%` }, ...(bin ? [] : [make("span", {}, `k = ${count(ask.k)}`)]))),
        button(`Bin ${bin + 1}: ${count(own)}`, (event) => { event.stopPropagation(); put(bin); }, { class: "into", "data-bin": bin }),
      ));
      const left = at.flatMap((one, number) => (one < 0 ? [block(number)] : []));
      stage.replaceChildren(
        make("div", { class: "columns" }, ...bins),
        make("div", { class: "table", tabindex: "-1", onclick: () => put(-1) }, make("span", {}, left.length ? "Take a label, then choose a bin:" : "All labels are in bins."), ...left),
      );
      if (focused) stage.querySelector(focused)?.focus();
    }
    function check() {
      const used = filled().filter(Boolean);
      if (at.includes(-1)) answer(false, "open");
      else if (Math.min(...used) < ask.k) answer(false, "low");
      else answer(Math.max(...used) <= ask.at_most, "full");
    }
    draw();
    return {
      settle() {
        const levels = filled();
        const solved = !at.includes(-1) && levels.every((own) => !own || own >= ask.k) && Math.max(...levels) <= ask.at_most;
        if (!solved) ask.solution.forEach((bin, number) => { at[number] = bin; });
        held = null;
        settled = true;
        draw();
        area.querySelectorAll(".check, .quiet").forEach((one) => one.textContent === "Show me" || one.remove());
      },
    };
  }

  frame.addEventListener("keydown", (event) => {
    if (!lesson || event.target.closest("input, [data-item], .block, .into") || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "ArrowRight" && place < lesson.scenes.length) go(lesson.name, place + 1);
    else if (event.key === "ArrowLeft" && place) go(lesson.name, place - 1);
  });

  function follow() {
    const [name, number] = decodeURIComponent(location.hash.slice(1)).split("/");
    if (name !== (lesson?.name ?? "") || (Number(number) || 1) - 1 !== place) go(name, (Number(number) || 1) - 1);
  }
  if (options.only) go(options.only);
  else show();
  if (options.address) {
    addEventListener("hashchange", follow);
    follow();
  }
  return { theme(now) { dark = now; frame.classList.toggle("dark", dark); } };
}
