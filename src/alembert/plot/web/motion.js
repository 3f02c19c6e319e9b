// Draws points, rods and short trails on a canvas; in space the view is rotated by dragging.
(function () {
  const canvas = document.getElementById("animation"), pen = canvas.getContext("2d");
  const play = document.getElementById("play"), slider = document.getElementById("time"),
    label = document.getElementById("clock");
  const n = motion.points.length, rows = motion.t.length, spatial = motion.dimension === 3;
  const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
  let turn = -60 * Math.PI / 180, height = 22 * Math.PI / 180, row = 0, running = true, before = null, t = motion.t[0];
  let reach = 1e-12;
  const middle = [0, 0, 0], low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const p of motion.points) for (const at of p) for (let k = 0; k < motion.dimension; k++) {
    low[k] = Math.min(low[k], at[k]); high[k] = Math.max(high[k], at[k]);
  }
  if (motion.links.some(link => link[1] < 0)) for (let k = 0; k < motion.dimension; k++) {
    low[k] = Math.min(low[k], 0); high[k] = Math.max(high[k], 0);
  }
  for (let k = 0; k < motion.dimension; k++) {
    middle[k] = (low[k] + high[k]) / 2; reach = Math.max(reach, high[k] - low[k]);
  }
  function seen(at) {
    if (!spatial) return [at[0] - middle[0], at[1] - middle[1]];
    const x = at[0] - middle[0], y = at[1] - middle[1], z = at[2] - middle[2];
    const across = -x * Math.sin(turn) + y * Math.cos(turn), depth = x * Math.cos(turn) + y * Math.sin(turn);
    return [across, z * Math.cos(height) - depth * Math.sin(height)];
  }
  function draw() {
    const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
    if (canvas.width !== Math.round(w * ratio)) {
      canvas.width = Math.round(w * ratio); canvas.height = Math.round(h * ratio);
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, w, h);
    const scale = 0.86 * Math.min(w, h) / (reach * (spatial ? 1.3 : 1));
    const pixel = at => { const s = seen(at); return [w / 2 + scale * s[0], h / 2 - scale * s[1]]; };
    const ink = getComputedStyle(document.body).color;
    const line = (points, colour, width) => {
      pen.strokeStyle = colour; pen.lineWidth = width; pen.beginPath();
      points.forEach((at, i) => { const p = pixel(at); i ? pen.lineTo(p[0], p[1]) : pen.moveTo(p[0], p[1]); });
      pen.stroke();
    };
    pen.globalAlpha = 0.45;
    for (let i = 0; i < n && n <= 40; i++)
      line(motion.points[i].slice(Math.max(0, row - motion.trail), row + 1), colours[i % colours.length], 1.2);
    pen.globalAlpha = 1;
    for (const [a, b] of motion.links) line([b < 0 ? [0, 0, 0] : motion.points[b][row], motion.points[a][row]], ink, 2);
    for (let i = 0; i < n; i++) {
      const p = pixel(motion.points[i][row]);
      pen.fillStyle = colours[i % colours.length]; pen.beginPath();
      pen.arc(p[0], p[1], n > 20 ? 3 : 6, 0, 2 * Math.PI); pen.fill();
    }
    slider.value = row; label.textContent = "t = " + motion.t[row].toPrecision(5);
  }
  function frame(now) {
    if (running && before !== null) {
      t += (now - before) / 1000 * motion.speed;
      if (motion.speed * (t - motion.t[rows - 1]) > 0) t = motion.t[0], row = 0;
      while (row + 1 < rows && motion.speed * (motion.t[row + 1] - t) <= 0) row++;
    }
    before = now; draw(); window.requestAnimationFrame(frame);
  }
  slider.max = rows - 1;
  slider.addEventListener("input", () => { row = +slider.value; t = motion.t[row]; running = false; });
  play.addEventListener("click", () => { running = !running; });
  let held = null;
  canvas.addEventListener("pointerdown", e => { held = [e.clientX, e.clientY]; });
  window.addEventListener("pointerup", () => { held = null; });
  window.addEventListener("pointermove", e => {
    if (!held || !spatial) return;
    turn -= (e.clientX - held[0]) / 150; height += (e.clientY - held[1]) / 150; held = [e.clientX, e.clientY];
  });
  window.requestAnimationFrame(frame);
})();
