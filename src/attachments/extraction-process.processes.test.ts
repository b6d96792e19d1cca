import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { pdf, shown, stream } from '../../test/fixtures/pdf.js';
import { ExtractionProcess } from './extraction-process.js';

const running: ExtractionProcess[] = [];
afterEach(() => {
  for (const one of running.splice(0)) one.close();
});

const megabyte = 1_048_576;
const never = new AbortController().signal;

function start(limits?: { memoryBytes: number; timeMs: number }): ExtractionProcess {
  const started = new ExtractionProcess(limits);
  running.push(started);
  return started;
}

const asPdf = (content: Buffer) => ({ chunks: [content], contentType: 'application/pdf' });
const harmless = asPdf(pdf([stream(shown('harmless'))]));

/** A page of a few kilobytes that unpacks to many megabytes. */
function bomb(megabytes: number): Buffer {
  const packed = deflateSync(deflateSync(Buffer.alloc(megabytes * megabyte, ' ')));
  return pdf([stream(packed, '/Filter [/FlateDecode /FlateDecode]')]);
}

test('extracts the text of one file after the other', async () => {
  const extraction = start();
  expect(await extraction.extract(harmless, never)).toEqual({ kind: 'text', text: 'harmless' });
  const text = { chunks: [Buffer.from('two '), Buffer.from('chunks')], contentType: 'text/plain' };
  expect(await extraction.extract(text, never)).toEqual({ kind: 'text', text: 'two chunks' });
});

test('a file that unpacks to more than the limit fails; the memory of this process does not grow, the next file works', async () => {
  const extraction = start({ memoryBytes: 192 * megabyte, timeMs: 60_000 });
  const file = asPdf(bomb(400));
  expect(file.chunks[0]?.length).toBeLessThan(10_000);
  const before = process.memoryUsage.rss();
  const outcome = await extraction.extract(file, never);
  expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringContaining('exceeded its limits') });
  expect(process.memoryUsage.rss() - before).toBeLessThan(100 * megabyte);
  expect(await extraction.extract(harmless, never)).toEqual({ kind: 'text', text: 'harmless' });
});

test('a file that takes too long fails', async () => {
  const extraction = start({ memoryBytes: 512 * megabyte, timeMs: 1 });
  expect(await extraction.extract(asPdf(bomb(100)), never)).toMatchObject({ kind: 'failed' });
});

test.runIf(process.platform === 'linux')('the time that a task waits for the processor is not counted', async () => {
  const extraction = start({ memoryBytes: 512 * megabyte, timeMs: 5_000 });
  await extraction.extract(harmless, never);
  const { pid = 0 } = (extraction as unknown as { process: { child: { pid?: number } } }).process.child;
  const outcome = extraction.extract(harmless, never);
  process.kill(pid, 'SIGSTOP');
  await sleep(5_500);
  process.kill(pid, 'SIGCONT');
  expect(await outcome).toEqual({ kind: 'text', text: 'harmless' });
});

test('a stop ends the extraction immediately', async () => {
  const stopping = new AbortController();
  const stopped = start().extract(asPdf(bomb(100)), stopping.signal);
  stopping.abort(new Error('stopping'));
  await expect(stopped).rejects.toThrow('stopping');
});

test('the process gets no secrets, has a memory limit of the operating system, and ends with its parent', async () => {
  const { fork } = await import('node:child_process');
  const script = `
    const { ExtractionProcess } = await import(process.argv[1]);
    const extraction = new ExtractionProcess();
    await extraction.extract({ chunks: [Buffer.from('x')], contentType: 'text/plain' }, new AbortController().signal);
    process.send(extraction.process.child.pid);
    setInterval(() => undefined, 1000);`;
  const module = new URL('./extraction-process.js', import.meta.url).href;
  const parent = fork('-', [], { execArgv: ['--input-type=module', '-e', script, module], env: { SECRET: 'x' } });
  const [pid] = (await once(parent, 'message')) as [number];
  if (process.platform === 'linux') {
    const { readFile } = await import('node:fs/promises');
    expect(await readFile(`/proc/${pid}/environ`, 'utf8')).not.toContain('SECRET');
    expect(await readFile(`/proc/${pid}/limits`, 'utf8')).toMatch(/^Max data size +\d+ +\d+ +bytes/m);
  }
  parent.kill('SIGKILL');
  for (;;) {
    try {
      process.kill(pid, 0);
      await sleep(20);
    } catch {
      return;
    }
  }
});
