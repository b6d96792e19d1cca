import { pointsOf } from './curve-points.js';
import type { DeviceHistory } from './device-view.js';
import { ticksBetween, timeLabel, timeTicks } from './plot-ticks.js';
import { shownValue } from './shown-value.js';

/** Curves with a common time range. */
interface DrawnPlot {
  readonly start: number;
  readonly end: number;
  readonly curves: readonly DeviceHistory[];
}

const width = 720;
const panel = { left: 92, right: 24, title: 20, height: 96, below: 8 } as const;
const footHeight = 34;
const plotWidth = width - panel.left - panel.right;
const shownTexts = 6;
const style =
  'text{font:12px sans-serif;fill:#333}.n{font-weight:600}.t{fill:#666}.g{stroke:#ddd}.l{stroke:#b26a00;stroke-dasharray:4 3}.a{stroke:#c0392b;stroke-dasharray:4 3}.b{fill:#9ec1ee;stroke:none}.c{fill:none;stroke:#0b57a4;stroke-width:1.5}';

/** Draws the curves below each other, with a common time axis, as an SVG without references to other files. */
export function drawPlot({ start, end, curves }: DrawnPlot): string {
  const step = panel.title + panel.height + panel.below;
  const height = curves.length * step + footHeight;
  const names = curves.map(({ name }) => name).join(', ');
  const x = (at: number) => round(panel.left + ((at - start) / Math.max(1, end - start)) * plotWidth);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeXml(names)}</title><style>${style}</style><rect width="${width}" height="${height}" fill="#fff"/>`,
    ...curves.map((curve, at) => drawPanel(curve, x, at * step)),
    drawFoot({ start, end }, x, curves.length * step),
    '</svg>\n',
  ].join('\n');
}

type Scale = (value: number) => number;

function drawPanel(curve: DeviceHistory, x: Scale, top: number): string {
  const { name, units, samples, problems } = curve;
  const y0 = top + panel.title;
  const title = `<text class="n" x="${panel.left}" y="${top + 15}">${escapeXml(units ? `${name} [${units}]` : name)}</text>`;
  const frame = `<path class="g" fill="none" d="M${panel.left} ${y0}h${plotWidth}v${panel.height}h${-plotWidth}z"/>`;
  const note = (text: string) =>
    `<text class="t" x="${panel.left + 8}" y="${y0 + panel.height / 2}">${escapeXml(text)}</text>`;
  if (samples.length === 0) return `<g>${title}${frame}${note(problems[0]?.reason ?? 'no values')}</g>`;
  const isText = curve.kind === 'text' || curve.kind === 'array';
  return `<g>${title}${frame}${isText ? drawTexts(curve, x, y0) : drawCurve(curve, x, y0)}</g>`;
}

/** Draws a tick at the time of each value that is not a number. */
function drawTexts({ samples, start }: DeviceHistory, x: Scale, top: number): string {
  const at = (sample: { readonly at: number }) => x(Math.max(start, sample.at));
  const ticks = samples.map((sample) => `M${at(sample)} ${top}v${panel.height}`).join('');
  const texts = samples.slice(0, shownTexts).map((sample, row) => {
    const text = escapeXml((sample.text ?? '').slice(0, 60).toWellFormed());
    return `<text x="${at(sample) + 4}" y="${top + 14 + row * 15}">${text}</text>`;
  });
  return `<path class="c" d="${ticks}"/>${texts.join('')}`;
}

function drawCurve(curve: DeviceHistory, x: Scale, top: number): string {
  const { start: from, end: to, isBinned, limits, states } = curve;
  const { x: times, values } = pointsOf(curve, { from, to, columns: isBinned ? [0, 1, 2] : [0] });
  const [middle = [], lowest = [], highest = []] = values;
  const [low, high] = rangeOf(values.flat());
  const y = (value: number) => round(top + panel.height - 4 - ((value - low) / (high - low)) * (panel.height - 8));
  const label = (value: number) =>
    states ? (states[value] ?? '') : shownValue({ value, precision: undefined, units: undefined });
  const ticks = ticksBetween(low, high, states !== null).map(
    (tick) =>
      `<path class="g" d="M${panel.left} ${y(tick)}h${plotWidth}"/><text x="${panel.left - 6}" y="${y(tick) + 4}" text-anchor="end">${escapeXml(label(tick).slice(0, 14))}</text>`,
  );
  const limit = (value: number | null, name: 'a' | 'l') =>
    value === null || value < low || value > high
      ? ''
      : `<path class="${name}" d="M${panel.left} ${y(value)}h${plotWidth}"/>`;
  const band = isBinned ? `<path class="b" d="${bandPath(times.map(x), lowest, highest, y)}"/>` : '';
  return [
    ...ticks,
    limit(limits.warningLow, 'l'),
    limit(limits.warningHigh, 'l'),
    limit(limits.alarmLow, 'a'),
    limit(limits.alarmHigh, 'a'),
    band,
    `<path class="c" d="${linePath(times.map(x), middle, y)}"/>`,
  ].join('');
}

type Values = readonly (number | null)[];

/** Returns the path of a line, which a gap interrupts. */
function linePath(places: readonly number[], values: Values, y: Scale): string {
  let isOpen = false;
  const parts = values.map((value, at) => {
    if (value === null) {
      isOpen = false;
      return '';
    }
    const command = isOpen ? 'L' : 'M';
    isOpen = true;
    return `${command}${places[at]} ${y(value)}`;
  });
  return parts.join('');
}

/**
 * Returns the path of the area between the lowest and the highest values. Each part without a gap is a closed shape.
 */
function bandPath(places: readonly number[], lowest: Values, highest: Values, y: Scale): string {
  const shapes: string[] = [];
  let part: number[] = [];
  const close = () => {
    const edge = (values: Values, order: readonly number[]) => order.map((at) => `${places[at]} ${y(values[at] ?? 0)}`);
    if (part.length > 1) shapes.push(`M${[...edge(lowest, part), ...edge(highest, part.toReversed())].join('L')}z`);
    part = [];
  };
  for (const [at, value] of lowest.entries()) {
    if (value === null || highest[at] === null) close();
    else part.push(at);
  }
  close();
  return shapes.join('');
}

function rangeOf(values: Values): readonly [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value === null) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return [0, 1];
  const margin = low === high ? Math.max(Math.abs(low) * 0.05, 1e-12) : 0;
  return low === 0 && high === 0 ? [-1, 1] : [low - margin, high + margin];
}

function drawFoot({ start, end }: Pick<DrawnPlot, 'start' | 'end'>, x: Scale, top: number): string {
  const ticks = timeTicks(start, end).map(
    (at) => `<text x="${x(at)}" y="${top + 8}" text-anchor="middle">${timeLabel(at, end - start)}</text>`,
  );
  const range = [start, end].map((at) => new Date(at).toISOString().replace('T', ' ').slice(0, 19)).join(' – ');
  return `${ticks.join('')}<text class="t" x="${panel.left}" y="${top + 26}">${range} UTC</text>`;
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** Escapes a text, and replaces characters that XML cannot contain with spaces. */
function escapeXml(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cn}\p{Cs}]/gu, ' ');
  return plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
