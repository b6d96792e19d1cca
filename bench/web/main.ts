import { cpus, loadavg } from 'node:os';
import { type Browser, chromium, type Page } from 'playwright-core';
import { TestService } from '../../test/fixtures/service.js';
import { fillDays } from '../../test/fixtures/web-story.js';
import { medianOf } from '../median.js';
import { measurePlot } from './measure-plot.js';

/** Entries of the measured logbook. */
const entryCount = 100_000;
const perTransaction = 10_000;
/** Lengths of the texts in which typing is measured, with the time that a key may take. */
const typedInto = [
  { name: '50 kB', chars: 50_000, limit: 'under 16 ms' },
  { name: '1 MB', chars: 1_000_000, limit: 'under 33 ms' },
];

interface Figure {
  readonly name: string;
  readonly value: string;
  readonly limit: string;
}

/** Measures the browser client on a large logbook and prints what a person would notice. */
async function main(): Promise<void> {
  const logbook = await TestService.start();
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  try {
    for (let at = 0; at < entryCount; at += perTransaction) await fillDays(logbook, perTransaction, 30);
    const figures = [
      ...(await measureFirstLoad(browser, logbook.origin)),
      ...(await measureList(browser, logbook.origin)),
    ];
    for (const text of typedInto) figures.push(await measureTyping(browser, logbook.origin, text));
    figures.push(...(await measurePlot(browser)));
    figures.push({
      name: 'load of this machine, 1 min',
      value: loadavg()[0]?.toFixed(1) ?? '',
      limit: `${cpus().length} cores`,
    });
    for (const { name, value, limit } of figures) console.log(`${name.padEnd(56)}${value.padStart(12)}   ${limit}`);
  } finally {
    await browser.close();
    await logbook.stop();
  }
}

/** Measures the size of the first page's files on the network. */
async function measureFirstLoad(browser: Browser, origin: string): Promise<Figure[]> {
  const page = await browser.newPage();
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const kinds = new Map<string, string>();
  const bytes = new Map<string, number>();
  session.on('Network.responseReceived', ({ requestId, type }) => kinds.set(requestId, type));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const kind = kinds.get(requestId) ?? 'Other';
    bytes.set(kind, (bytes.get(kind) ?? 0) + encodedDataLength);
  });
  // An idle page would also fetch the files that the next click probably needs.
  await page.addInitScript('window.requestIdleCallback = () => 0');
  await page.goto(origin);
  await page.locator('.entry-row').first().waitFor();
  await page.waitForLoadState('networkidle');
  const all = [...bytes.values()].reduce((sum, one) => sum + one, 0);
  await page.close();
  const toKB = (sum: number) => `${(sum / 1_000).toFixed(1)} kB`;
  const kB = (kind: string) => toKB(bytes.get(kind) ?? 0);
  return [
    { name: 'all of the first load', value: toKB(all), limit: 'under 200 kB' },
    { name: 'requests of the first load', value: String(kinds.size), limit: 'at most 8' },
    { name: 'script of the first load, brotli', value: kB('Script'), limit: '' },
    { name: 'style of the first load, brotli', value: kB('Stylesheet'), limit: '' },
  ];
}

/** Measures how soon the list is there, how evenly it scrolls, and what it requests. */
async function measureList(browser: Browser, origin: string): Promise<Figure[]> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(origin);
  await page.locator('.entry-row').first().waitFor();
  const times: number[] = [];
  let requests = 0;
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.startsWith('/logbook/')) requests += 1;
  });
  for (let round = 0; round < 5; round += 1) {
    requests = 0;
    await page.reload({ waitUntil: 'commit' });
    await page.locator('.entry-row').first().waitFor();
    times.push(Number(await page.evaluate('performance.now()')));
    await page.waitForLoadState('networkidle');
  }
  const full = requests;
  const frames = await measureScrolling(page);
  requests = 0;
  await page.evaluate(`{ const list = document.querySelector('.list'); list.scrollTop = list.scrollHeight / 2; }`);
  await page.locator('.entry-row').first().waitFor();
  await page.waitForLoadState('networkidle');
  await page.close();
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  return [
    { name: `list visible after navigation, ${entryCount} entries`, value: ms(medianOf(times)), limit: 'under 500 ms' },
    { name: 'frame while scrolling, p95', value: `${frames.p95.toFixed(1)} ms`, limit: 'under 20 ms' },
    { name: 'frames with an empty row while scrolling', value: frames.empty, limit: '0' },
    { name: 'requests to a full list with threads', value: String(full), limit: 'at most 6' },
    { name: 'requests of a jump to the middle', value: String(requests), limit: '' },
  ];
}

/** Scrolls for three seconds; returns the 95th percentile of the time between frames, and how many had an empty row. */
async function measureScrolling(page: Page): Promise<{ readonly p95: number; readonly empty: string }> {
  const { frames, empty } = (await page.evaluate(`new Promise((resolve) => {
    const list = document.querySelector('.list');
    const { top, bottom } = list.getBoundingClientRect();
    const frames = [];
    let empty = 0;
    let last = performance.now();
    const end = last + 3000;
    const step = (now) => {
      frames.push(now - last);
      last = now;
      const rows = [...list.querySelectorAll('.row-skeleton')].map((one) => one.getBoundingClientRect());
      if (rows.some((row) => row.bottom > top && row.top < bottom)) empty += 1;
      list.scrollTop += 40;
      if (now < end) requestAnimationFrame(step);
      else resolve({ frames: frames.slice(2), empty });
    };
    requestAnimationFrame(step);
  })`)) as { frames: number[]; empty: number };
  const p95 = frames.sort((a, b) => a - b)[Math.floor(frames.length * 0.95)] ?? 0;
  return { p95, empty: `${empty} of ${frames.length}` };
}

/** Measures how long the page works for each key in a long text until it has drawn it, without the waits in between. */
async function measureTyping(
  browser: Browser,
  origin: string,
  { name, chars, limit }: (typeof typedInto)[number],
): Promise<Figure> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${origin}/write`);
  await page.locator('.cm-content').click();
  const paragraph = `${'Beam lost in SR:C03-MG:G02A{Quad:1}, **restored** after a reset. '.repeat(10)}\n\n`;
  const text = JSON.stringify(paragraph.repeat(Math.floor(chars / paragraph.length)));
  await page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${text});
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }`);
  // The browser has stored the text, and the preview shows it.
  await page.locator('[data-light="signIn"]').waitFor();
  await page.locator('.preview-pane .prose > *').nth(1).waitFor();
  await page.waitForTimeout(2_000);
  const works = await traceKeys(page, () =>
    page.keyboard.type('Words that an operator types in the middle of the night. '.repeat(4), { delay: 60 }),
  );
  await page.close();
  const p95 = works.toSorted((a, b) => a - b)[Math.floor(works.length * 0.95)] ?? Number.NaN;
  return { name: `work for a key in a text of ${name}, p95`, value: `${p95.toFixed(1)} ms`, limit };
}

/** An event of Chromium's trace; times in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** Time in which the thread ran, which other programs do not change. */
  readonly tdur?: number;
  readonly args: { readonly data?: { readonly type?: string }; readonly src_func?: string };
}

const frameTask = 'ScheduledActionSendBeginMainFrame';

/** Returns, for each key pressed in this time, how many milliseconds the tasks of the page took up to its frame. */
async function traceKeys(page: Page, type: () => Promise<void>): Promise<number[]> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await session.send('Tracing.start', { categories: 'toplevel,devtools.timeline', transferMode: 'ReportEvents' });
  await type();
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  const keys = events.filter(({ name, args }) => name === 'EventDispatch' && args.data?.type === 'keydown');
  const tasks = events.filter(({ name }) => name.endsWith('RunTask')).sort((a, b) => a.ts - b.ts);
  return keys.map((key) => {
    const own = tasks.filter(({ pid, tid, ts, dur = 0 }) => pid === key.pid && tid === key.tid && ts + dur > key.ts);
    const frame = own.findIndex(({ ts, args }) => ts > key.ts && args.src_func === frameTask);
    return own.slice(0, frame + 1).reduce((sum, { dur = 0, tdur = dur }) => sum + tdur / 1_000, 0);
  });
}

await main();
