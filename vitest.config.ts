import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Projects other than `fast`. The folder `test/NAME/` and the files `*.NAME.test.ts` belong to NAME; every other test is in `fast`.
 */
export const projects = [
  'integration',
  'processes',
  'directories',
  'engines',
  'drills',
  'subscribers',
  'faults',
  'load',
  'real-time',
  'web',
  'packages',
];

const filesOf = (name: string) => [`dist/test/${name}/**/*.test.js`, `dist/{src,packages,test}/**/*.${name}.test.js`];

/** Files that take minutes. Vitest takes large files for long ones, but the tests of these are in other files. */
const longFiles = ['dist/test/web/firefox.test.js', 'dist/test/web/webkit.test.js'];

/** Starts the long files first. At the end of a run, they would be the only ones. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => longFiles.some((name) => moduleId.endsWith(name));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

// The tests run on the build output: worker threads and the started process are then the files that production runs.
export default defineConfig({
  test: {
    // Limits catch what hangs. A slow machine under load must not reach them.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    setupFiles: ['dist/test/fixtures/byte-equality.js'],
    pool: 'forks',
    // Loading the service takes longer than the tests of most files, so a worker loads it once for all of its files.
    isolate: false,
    // Many tests wait for a process, a disk or a clock: three files at a time for two processors.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    sequence: { sequencer: LongFilesFirst },
    coverage: {
      provider: 'custom',
      customProviderModule: join(import.meta.dirname, 'tools/node_modules/@vitest/coverage-v8/dist/index.js'),
      include: ['dist/{src,packages}/**/*.js'],
      exclude: ['**/*.test.js'],
    },
    projects: [
      project(
        'fast',
        ['dist/{src,packages,test}/**/*.test.js', 'web/src/**/*.test.ts'],
        ['node_modules/**', ...projects.flatMap(filesOf)],
      ),
      ...projects.map((name) => project(name, filesOf(name), [])),
    ],
  },
});

function project(name: string, include: string[], exclude: string[]) {
  return { extends: true as const, test: { name, include, exclude } };
}
