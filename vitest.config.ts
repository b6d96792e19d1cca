import { defineConfig } from 'vitest/config';

/** The tests of each command, by folder. */
const everything = ['dist/src/**/*.test.js', 'dist/test/**/*.test.js'];
const integration = ['auth', 'architecture', 'directories', 'e2e', 'live', 'plugins', 'subscribers'].map(testsIn);
const slow = ['faults', 'load', 'real-time'].map(testsIn);

// The tests run on the build output: worker threads and the started process are then the files that are used in production.
export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    // Loading the service takes longer than most files of tests: each worker loads it once.
    isolate: false,
    // Many tests wait for a process, a disk or a clock.
    maxWorkers: '100%',
    coverage: { include: ['dist/src/**'], exclude: ['**/*.test.js'] },
    projects: [
      project('fast', everything, [...integration, ...slow]),
      project('integration', integration),
      project('faults', [testsIn('faults')]),
      project('load', [testsIn('load')]),
      project('real-time', [testsIn('real-time')]),
    ],
  },
});

function testsIn(folder: string): string {
  return `dist/test/${folder}/**/*.test.js`;
}

function project(name: string, include: string[], exclude: string[] = []) {
  return { extends: true as const, test: { name, include, exclude: ['node_modules/**', ...exclude] } };
}
