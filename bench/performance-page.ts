import type { Line } from './report.js';

const begin = '<!-- The run below is written by `npm run bench -- --report`. -->\n';
const end = '<!-- End of the run. -->\n';

/** Conditions of a run, as the page states them. */
export interface RunConditions {
  readonly date: Date;
  readonly version: string;
  readonly node: string;
  readonly cores: number;
  readonly processor: string;
  /** Duration of each load. */
  readonly seconds: number;
}

/**
 * Returns the page with the lines of this run in place of those of the run before.
 * @throws Error when the page has no place for a run
 */
export function withRun(page: string, lines: readonly Line[], conditions: RunConditions): string {
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error('the page has no place for a run');
  return `${before}${begin}${describeRun(conditions)}\n\n${markdownTable(lines)}\n${end}${after}`;
}

function describeRun({ date, version, node, cores, processor, seconds }: RunConditions): string {
  const day = date.toISOString().slice(0, 10);
  return `Version ${version} on ${day}: Node.js ${node}, ${cores} cores (${processor}), ${seconds} s for each load.`;
}

function markdownTable(lines: readonly Line[]): string {
  const rows = lines.map(({ name, figure, ratio = '', aim }) => {
    const aimed = aim ? `${aim.text}${aim.met ? '' : ': **missed**'}` : '';
    return `| ${[name, figure, ratio, aimed].map(toCell).join(' | ')} |`;
  });
  return ['| Measurement | Result | Compared | Aim |', '|---|---|---|---|', ...rows].join('\n');
}

const toCell = (text: string): string => text.replace(/ {2,}/g, ' ').trim().replaceAll('|', '\\|');
