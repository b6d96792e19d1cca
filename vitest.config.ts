import { defineConfig } from 'vitest/config';

// The tests run on what the build made: worker threads and the started process are then the same files as in use.
export default defineConfig({
  test: {
    include: ['dist/src/**/*.test.js', 'dist/test/**/*.test.js'],
    exclude: ['node_modules/**'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    // Many tests wait for a process, a disk or a clock.
    maxWorkers: '100%',
    coverage: { include: ['dist/src/**'], exclude: ['**/*.test.js'] },
  },
});
