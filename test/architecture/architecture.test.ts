import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser';
import { describe, expect, test } from 'vitest';
import { productDir } from '../../src/kernel/product.js';

interface Rules {
  readonly forbidden: readonly { readonly name: string }[];
  readonly options: ICruiseOptions;
}

const rules = createRequire(import.meta.url)(join(productDir, '.dependency-cruiser.cjs')) as Rules;

/** The names of the rules that a tree breaks. */
async function brokenRules(dir: string): Promise<Set<string>> {
  const { tsConfig: _, ...options } = rules.options;
  const { output } = await cruise(['src'], {
    ...options,
    baseDir: dir,
    validate: true,
    ruleSet: { forbidden: rules.forbidden as NonNullable<ICruiseOptions['ruleSet']>['forbidden'] },
  } as ICruiseOptions);
  return new Set((output as ICruiseResult).summary.violations.map((violation) => violation.rule.name));
}

describe('the directions of the house', () => {
  test('hold', async () => {
    expect(await brokenRules(productDir)).toEqual(new Set());
  });

  test('are checked by rules each of which notices its planted violation', async () => {
    const planted = join(productDir, 'test', 'architecture', 'planted');
    expect([...(await brokenRules(planted))].sort()).toEqual(rules.forbidden.map(({ name }) => name).sort());
  });
});
