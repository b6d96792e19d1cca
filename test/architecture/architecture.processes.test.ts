import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasTools, importTool } from '../../scripts/tools.js';
import { productDir } from '../../src/kernel/product.js';

interface Rules {
  readonly forbidden: readonly { readonly name: string }[];
  readonly options: Readonly<Record<string, unknown>>;
}

interface Cruiser {
  cruise(
    folders: readonly string[],
    options: object,
  ): Promise<{ output: { summary: { violations: readonly { rule: { name: string } }[] } } }>;
}

const rules = createRequire(import.meta.url)(join(productDir, '.dependency-cruiser.cjs')) as Rules;

/** Returns the names of the rules that a tree violates. */
async function violatedRules(dir: string): Promise<Set<string>> {
  const { tsConfig: _, ...options } = rules.options;
  const { cruise } = await importTool<Cruiser>('dependency-cruiser');
  const { output } = await cruise(['src', 'packages', 'web'], {
    ...options,
    baseDir: dir,
    validate: true,
    ruleSet: { forbidden: rules.forbidden },
  });
  return new Set(output.summary.violations.map((violation) => violation.rule.name));
}

// `npm run check` tests that the program itself violates no rule.
test.skipIf(process.env.CI === undefined && !hasTools)('each import rule detects its planted violation', async () => {
  const planted = join(productDir, 'test', 'architecture', 'planted');
  expect([...(await violatedRules(planted))].sort()).toEqual(rules.forbidden.map(({ name }) => name).sort());
});
