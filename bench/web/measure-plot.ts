import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { TestService } from '../../test/fixtures/service.js';

const fileBytes = 20_000_000;

interface PlotFigure {
  readonly name: string;
  readonly value: string;
  readonly limit: string;
}

/** Measures how soon the plot of a table of 20 MB is shown, and the longest time for which the page is busy. */
export async function measurePlot(browser: Browser): Promise<PlotFigure[]> {
  const logbook = await TestService.start({ maxFileSize: '25MB' });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  try {
    const fields = { title: 'With a large table', logbooks: [{ name: 'operations' }], attachments: [attachment] };
    const { body } = await logbook.sendForm('PUT', fields, [{ name: attachment.filename, content: largeTable() }]);
    await page.goto(`${logbook.origin}/entries/${body.id}`);
    const button = page.locator('button.file-plot');
    await button.waitFor();
    await page.waitForLoadState('networkidle');
    const before = await rendererMegabytes(browser);
    await page.evaluate(watchFrames);
    await button.click();
    await page.locator('.plot-canvas canvas').waitFor();
    const firstMs = Number(await page.evaluate('performance.now() - frames.startMs'));
    const opening = await longestFrame(page);
    await page.locator('.plot-canvas').focus();
    await page.evaluate(watchFrames);
    for (const key of ['Home', '+', '+', '+', 'PageDown', 'End', '-', '0']) {
      await page.keyboard.press(key);
      await page.waitForTimeout(200);
    }
    const zooming = await longestFrame(page);
    const after = await rendererMegabytes(browser);
    return [
      { name: 'plot of a 20 MB table after the click', value: `${firstMs.toFixed(0)} ms`, limit: '' },
      { name: 'longest frame until then', value: `${opening.toFixed(0)} ms`, limit: 'under 100 ms' },
      { name: 'longest frame while zooming and moving', value: `${zooming.toFixed(0)} ms`, limit: 'under 100 ms' },
      { name: 'memory of the page, before and with the plot', value: `${before} ${after} MB`, limit: '' },
    ];
  } finally {
    await page.close();
    await logbook.stop();
  }
}

const attachment = { id: 'large-table', filename: 'large.csv' };

function largeTable(): string {
  const lines = ['Time,Beam current [mA],Quadrupole [A],Pressure [mbar],Loss [mGy/h]'];
  const startMs = Date.UTC(2026, 10, 17);
  for (let bytes = 0, at = 0; bytes < fileBytes; at += 1) {
    const values = [(300 + Math.sin(at / 5_000)).toFixed(4), (182.4 + (at % 7) / 100).toFixed(4)];
    const line = `${new Date(startMs + at * 100).toISOString()},${values.join()},${(1e-9 * (1 + (at % 13))).toExponential(3)},3.1`;
    bytes += line.length + 1;
    lines.push(line);
  }
  return lines.join('\n');
}

const watchFrames = `{
  const frames = { startMs: performance.now(), longestMs: 0 };
  let last = frames.startMs;
  const step = (now) => {
    frames.longestMs = Math.max(frames.longestMs, now - last);
    last = now;
    if (window.frames === frames) requestAnimationFrame(step);
  };
  window.frames = frames;
  requestAnimationFrame(step);
}`;

async function longestFrame(page: Page): Promise<number> {
  return Number(await page.evaluate('frames.longestMs'));
}

/** Returns the resident memory of the largest process of pages, with its workers, in MB. */
async function rendererMegabytes(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const sizes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(async ({ id }) => Number(/VmRSS:\s*(\d+)/.exec(await readFile(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0));
  await session.detach();
  return Math.round(Math.max(...(await Promise.all(sizes))) / 1_024);
}
