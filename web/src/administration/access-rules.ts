import { queryOptions } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { api, dataOf } from '../api/api.ts';
import type { components } from '../api/schema.ts';

export type AccessRules = components['schemas']['AccessRules'];

export const accessRulesQuery = queryOptions({
  queryKey: ['access-rules'],
  queryFn: async ({ signal }): Promise<AccessRules> => dataOf(await api.GET('/access-rules', { signal })),
});

/** Returns the rule of a logbook, whose name may differ in case; undefined: the logbook is open. */
export function ruleOf(rules: AccessRules, logbook: string): AccessRules['logbooks'][number] | undefined {
  return rules.logbooks.find(({ name }) => name.toLowerCase() === logbook.toLowerCase());
}

/** Returns a text that names who may write; null: no restriction beyond that of the whole service. */
export function granteesText(
  t: TFunction<'administration'>,
  { permissions }: AccessRules,
  grantees: readonly string[] | null,
): string {
  if (grantees === null) return t(permissions === 'roles' ? 'everyoneWithRole' : 'everyoneSignedIn');
  return grantees.map((one) => granteeText(t, one)).join(', ');
}

/** Returns a text that names who may read. */
export function readersText(
  t: TFunction<'administration'>,
  { readsRequireSignIn }: AccessRules,
  grantees: readonly string[] | null,
): string {
  if (grantees === null) return t(readsRequireSignIn ? 'everyoneSignedIn' : 'everyone');
  return grantees.map((one) => granteeText(t, one)).join(', ');
}

function granteeText(t: TFunction<'administration'>, grantee: string): string {
  if (grantee === 'signed-in') return t('everyoneSignedIn');
  return grantee.startsWith('user:') ? grantee.slice('user:'.length) : t('group', { name: grantee });
}
