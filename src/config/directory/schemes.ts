import {
  type ActiveDirectorySource,
  type EmbeddedLdapSource,
  type LdapSource,
  readActiveDirectorySource,
  readEmbeddedLdapSource,
  readLdapSource,
  type SourceReading,
} from './read-directory-file.js';

/** A way to sign in, as it is configured. */
export type SchemeSetting =
  | { readonly scheme: 'inMemory' }
  | { readonly scheme: 'embeddedLdap'; readonly source: EmbeddedLdapSource }
  | { readonly scheme: 'ldap'; readonly source: LdapSource }
  | { readonly scheme: 'active_directory'; readonly source: ActiveDirectorySource };

export const schemeNames = ['inMemory', 'embeddedLdap', 'ldap', 'active_directory'] as const;
export type SchemeName = (typeof schemeNames)[number];

export interface PropertySources {
  readonly embeddedLdapPropertySource: string;
  readonly ldapPropertySource: string;
  readonly activeDirectoryPropertySource: string;
}

/**
 * What the property sources say of the schemes that are used; the others are not read.
 * @returns the schemes in their order, or all that is wrong with them, a line each
 */
export function readSchemes(
  names: readonly SchemeName[],
  files: PropertySources,
): SourceReading<readonly SchemeSetting[]> {
  const problems: string[] = [];
  const schemes: SchemeSetting[] = [];
  const taken = <T>(reading: SourceReading<T>): T | undefined => {
    if ('settings' in reading) return reading.settings;
    problems.push(...reading.problems);
    return undefined;
  };
  const named = (setting: keyof PropertySources, scheme: SchemeName): string | undefined => {
    if (files[setting] !== '') return files[setting];
    problems.push(`${setting} is not set: the scheme ${scheme} needs the file that describes its directory`);
    return undefined;
  };
  for (const scheme of names) {
    if (scheme === 'inMemory') schemes.push({ scheme });
    else if (scheme === 'embeddedLdap') {
      const source = taken(readEmbeddedLdapSource(files.embeddedLdapPropertySource || undefined));
      if (source) schemes.push({ scheme, source });
    } else if (scheme === 'ldap') {
      const file = named('ldapPropertySource', scheme);
      const source = file && taken(readLdapSource(file));
      if (source) schemes.push({ scheme, source });
    } else {
      const file = named('activeDirectoryPropertySource', scheme);
      const source = file && taken(readActiveDirectorySource(file));
      if (source) schemes.push({ scheme, source });
    }
  }
  return problems.length > 0 ? { problems } : { settings: schemes };
}
