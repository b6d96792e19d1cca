// ESLint checks only what Biome cannot: promises, and the lengths of functions and files.
import { join } from 'node:path';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'dist-*/**',
      'coverage/**',
      'release/**',
      'test/architecture/planted/**',
      'web/src/api/schema.ts',
      'web/node_modules/**',
    ],
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    plugins: { '@typescript-eslint': tseslint.plugin },
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { projectService: true, tsconfigRootDir: join(import.meta.dirname, '..') },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
    },
  },
  {
    files: ['src/**/*.ts', 'packages/**/*.ts', 'web/src/**/*.ts', 'web/src/**/*.tsx'],
    ignores: ['**/*.test.ts'],
    rules: {
      'max-lines-per-function': ['error', { max: 60, skipComments: false }],
      'max-lines': ['error', { max: 300, skipComments: false }],
    },
  },
  {
    // An error has one text, which is in the language of the page.
    files: ['web/src/**/*.ts', 'web/src/**/*.tsx'],
    ignores: ['web/src/api/api-error.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "CallExpression[callee.name='showToast'] > .arguments:matches(MemberExpression[property.name='message'], CallExpression[callee.name='String'])",
          message: 'Show an error with showProblem.',
        },
        {
          selector:
            "ConditionalExpression[test.operator='instanceof'] > MemberExpression.consequent[property.name='message']",
          message: 'Use problemText.',
        },
      ],
    },
  },
  {
    // Tables of settings, keys and schemas are read row by row.
    files: ['src/config/**/*-settings.ts', 'src/config/**/*keys.ts', 'src/**/*.schema.ts'],
    rules: { 'max-lines': ['error', { max: 400, skipComments: false }] },
  },
);
