import { type DirectoryKey, embeddedLdapKeys, ignoredKeys } from '../src/config/directory/keys.js';
import { type ForeignKey, foreignKeys } from '../src/config/existing-sites.js';
import { findSetting, settingNames } from '../src/config/settings.js';

/** Generates the page `docs/operator/existing-sites.md` from the keys that are known. */
export function existingSitesPage(): string {
  return `# Property files of existing sites

For sites that move to this service with their property files. At the end, you know which keys work, and what replaces the others.

A site that moves to this service can keep its property files. The files that \`ldapPropertySource\`,
\`embeddedLdapPropertySource\` and \`activeDirectoryPropertySource\` name keep their keys. The configuration file
(\`--config FILE\`) accepts only settings of this service; a key of the former service is an error that names its
replacement, so that nothing is lost unnoticed. How the entries are brought over is in [moving in](moving-in.md).

Paths may begin with \`file:\`. A relative path is relative to the file that contains it or, if nothing is there, to the
working directory. There is no class path: \`classpath:people.ldif\` means \`people.ldif\` next to the file that contains it.
Sizes need a unit, such as \`15MB\`, unless they are at least 1,024 bytes. Names of providers ignore case and punctuation:
\`ActiveDirectory\` is \`active_directory\`.

## Addresses of clients

The API answers below \`/Olog\`, too, and below every base URL with \`/Olog\` appended, such as \`/logbook/Olog\`. Desktop
clients, Python clients and scripts of the former service need no new address. \`rootPathAliases\` names other paths, or
turns this off. Links in a response use the path of the request. A sign-in with OpenID Connect goes through \`rootPath\`,
since the provider knows one callback address.

A response has at most 1,000 entries, whatever \`size\` asks for: a client that reads one page, such as
\`olog-tool --start … --end … backup\`, needs a time range with no more.

## Keys that are accepted

| Key | Setting or key of this service |
|---|---|
${acceptedRows().join('\n')}

These keys in the files of directories have no effect: ${ignoredKeys.map(code).join(', ')}.
\`authenticationProviders\` names the directories that are in use, and an LDIF file is not validated against a schema.

## Keys that are replaced

| Key | Setting of this service | |
|---|---|---|
${foreignKeys.map(foreignRow).join('\n')}

## Users and groups

Before the first start, compare with the former service, with \`logbook check --config FILE --user NAME\`:

- User names come from one attribute, \`….user.name.attribute\`, whichever attribute of the search filter matches. They
  are the owners of entries.
- Groups are known by DN, and below the group base by the \`cn\` of the DN; see [sign-in.md](sign-in.md#groups).
`;
}

function acceptedRows(): string[] {
  const ofSettings = settingNames.flatMap((name) =>
    (findSetting(name).aliases ?? []).map((alias) => `| ${code(alias)} | ${code(name)} |`),
  );
  const ofDirectory = Object.values<DirectoryKey<unknown>>(embeddedLdapKeys).flatMap(({ key, aliases = [] }) =>
    aliases.map((alias) => `| ${code(alias)} | ${code(key)}, in the file \`embeddedLdapPropertySource\` |`),
  );
  return [...ofSettings, ...ofDirectory];
}

function foreignRow({ key, names, note }: ForeignKey): string {
  return `| ${code(key)} | ${names.map(code).join(', ') || 'none; remove it'} | ${note} |`;
}

function code(text: string): string {
  return `\`${text}\``;
}
