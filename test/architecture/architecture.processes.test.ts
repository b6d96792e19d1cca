import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser';
import { expect, test } from 'vitest';
import { productDir } from '../../src/kernel/product.js';

interface Rules {
  readonly forbidden: readonly { readonly name: string }[];
  readonly options: ICruiseOptions;
}

const rules = createRequire(import.meta.url)(join(productDir, '.dependency-cruiser.cjs')) as Rules;

/** Returns the names of the rules that a tree violates. */
async function violatedRules(dir: string): Promise<Set<string>> {
  const { tsConfig: _, ...options } = rules.options;
  const { output } = await cruise(['src', 'packages', 'web'], {
    ...options,
    baseDir: dir,
    validate: true,
    ruleSet: { forbidden: rules.forbidden as NonNullable<ICruiseOptions['ruleSet']>['forbidden'] },
  } as ICruiseOptions);
  return new Set((output as ICruiseResult).summary.violations.map((violation) => violation.rule.name));
}

// `npm run check` tests that the program violates none of them.
test('each import rule detects its planted violation', async () => {
  const planted = join(productDir, 'test', 'architecture', 'planted');
  expect([...(await violatedRules(planted))].sort()).toEqual(rules.forbidden.map(({ name }) => name).sort());
});
