import { type DirectoryKey, embeddedLdapKeys, ignoredKeys } from '../src/config/directory/keys.js';
import { findSetting, settingNames } from '../src/config/settings.js';
import { code, tableRow } from './markdown.js';

export const existingSitesTitle = '## Property files of existing sites';

/** Generates the section of `docs/operator/moving-in.md` about the keys that are known. */
export function existingSitesSection(): string {
  return `${existingSitesTitle}

A site that replaces an Olog server can keep its property files for LDAP and Active Directory: name them in
\`ldapPropertySource\`, \`embeddedLdapPropertySource\` and \`activeDirectoryPropertySource\`. Write a new configuration file
(\`--config FILE\`): the service refuses most keys of the former server, and names the replacement.

- \`classpath:people.ldif\` means \`people.ldif\` next to the file that contains it.
- Before the first start, compare users and groups with \`logbook check --config FILE --user NAME\`. The [owner of
  entries](sign-in.md#user-names) and the [names of groups](sign-in.md#groups) can differ.

Clients need no new address: the API also answers below \`/Olog\` and below the root path with \`/Olog\` appended
(\`rootPathAliases\`). \`olog-tool --start … --end … backup\` reads one page, so its range must contain at most 1,000
entries.

These keys of the former server are accepted:

| Key | Setting or key of this service |
|---|---|
${acceptedRows().join('\n')}

These keys in the files of directories have no effect: ${ignoredKeys.map(code).join(', ')}.
`;
}

function acceptedRows(): string[] {
  const ofSettings = settingNames.flatMap((name) =>
    (findSetting(name).aliases ?? []).map((alias) => tableRow(code(alias), code(name))),
  );
  const ofDirectory = Object.values<DirectoryKey<unknown>>(embeddedLdapKeys).flatMap(({ key, aliases = [] }) =>
    aliases.map((alias) => tableRow(code(alias), `${code(key)}, in the file \`embeddedLdapPropertySource\``)),
  );
  return [...ofSettings, ...ofDirectory];
}
