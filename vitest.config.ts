import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

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
    // Many tests wait for a process, a disk or a clock.
    maxWorkers: '100%',
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
