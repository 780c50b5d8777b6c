// From values to pixels and back to round numbers for the ticks.
function scale(low, high, from, to, logarithmic) {
  const bend = logarithmic ? Math.log10 : (value) => value;
  const start = bend(low);
  const width = bend(high) - start || 1;
  const place = (value) => from + ((bend(value) - start) / width) * (to - from);
  return { low, high, logarithmic, place, ticks: (count) => (logarithmic ? decades(low, high, count) : rounds(low, high, count)) };
}

// the least and the greatest of finite values; null when there is none
function extent(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (!known(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : null;
}

// the extent with a margin, so that nothing sticks to an edge
function roomy([low, high], logarithmic) {
  if (logarithmic) {
    const factor = low === high ? 3 : (high / low) ** 0.04;
    return [low / factor, high * factor];
  }
  const margin = low === high ? Math.abs(low) * 0.1 || 0.5 : (high - low) * 0.05;
  return [low - margin, high + margin];
}

function rounds(low, high, count) {
  const rough = (high - low) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * (rough > 7 * power ? 10 : rough > 3.2 * power ? 5 : rough > 1.4 * power ? 2 : 1);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k += 1) {
    ticks.push([k * step, digits > 5 ? brief(k * step) : proper((k * step || 0).toFixed(digits))]);
  }
  return ticks.map(([value, text]) => [value, digits === 0 && Math.abs(value) >= 1e4 ? brief(value) : text]);
}

function decades(low, high, count) {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  if (last - first < 1) return between(low, high, count);
  const every = Math.ceil((last - first + 1) / Math.max(count, 2));
  const ticks = [];
  for (let power = first; power <= last; power += every) ticks.push([10 ** power, decade(power)]);
  return ticks;
}

// less than two decades in sight: 1, 2 and 5, or round steps when even those are too few
function between(low, high, count) {
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1) {
    for (const factor of [1, 2, 5]) {
      const value = factor * 10 ** power;
      if (value >= low * 0.999 && value <= high * 1.001) ticks.push([value, brief(value)]);
    }
  }
  return ticks.length >= 2 ? ticks : rounds(low, high, count).filter(([value]) => value > 0);
}

const decade = (power) => (Math.abs(power) <= 3 ? String(Number((10 ** power).toPrecision(1))) : `10${raised(power)}`);
