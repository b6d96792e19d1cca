import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { productDir } from '../../src/kernel/product.js';

const compiler = join(productDir, 'node_modules', 'typescript', 'bin', 'tsc');

/** Reads a built file; a source map without the paths to its source, which depend on the folder of the build. */
async function readBuilt(file: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  return file.endsWith('.map') ? JSON.stringify({ ...JSON.parse(text), sources: [] }) : text;
}

/** Lists the files of the program in a build, without tests. */
async function programFiles(dir: string): Promise<string[]> {
  const names = await readdir(dir, { recursive: true });
  return names.filter((name) => /^(?:src|packages)\/(?!.*\.test\.js).*\.js(?:\.map)?$/.test(name)).sort();
}

test('the build of a new checkout has each file of the program, with the bytes of the whole build', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'logbook-program-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const output = ['--outDir', dir, '--tsBuildInfoFile', join(dir, '.tsbuildinfo')];
  await promisify(execFile)(process.execPath, [compiler, '-p', 'tsconfig.program.json', ...output], {
    cwd: productDir,
  });
  const whole = join(productDir, 'dist');
  const files = await programFiles(whole);
  expect(files.length).toBeGreaterThan(1_000);
  expect(await programFiles(dir)).toEqual(files);
  for (const file of files) {
    expect((await readBuilt(join(dir, file))) === (await readBuilt(join(whole, file))), file).toBe(true);
  }
});
