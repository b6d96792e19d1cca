import { activeDirectoryKeys, type DirectoryKey, embeddedLdapKeys, ldapKeys } from '../src/config/directory/keys.js';
import { code, tableRow } from './markdown.js';

type Key = DirectoryKey<unknown>;
type Keys = Readonly<Record<string, Key>>;
type Example = keyof Key['examples'];

/** Generates the page `docs/operator/directories.md` from the keys. */
export function directoriesPage(): string {
  return `# LDAP and Active Directory configuration

For operators who connect a directory. At the end, you have its properties file. [Sign-in](sign-in.md) describes
providers, user names and groups.

The files are in UTF-8. One file may contain the keys of several providers.

## \`ldap\`: the file \`ldapPropertySource\`

${table(Object.values(ldapKeys))}

OpenLDAP, with users found by their DN and groups by their members:

${exampleFile(ldapKeys, 'openLdap', ['userSearchBase', 'userSearchFilter', 'managerDn', 'managerPassword'])}

## \`embeddedLdap\`: the file \`embeddedLdapPropertySource\`

Without the file, the embedded directory serves the sample \`assets/directory/sample.ldif\`. It is read-only and listens
on the loopback address only. \`userPassword\` may be plain text, \`{SHA}\`, \`{SSHA}\`, their 256 and 512 bit variants,
or bcrypt.

${ownKeys(embeddedLdapKeys)}

## \`active_directory\`: the file \`activeDirectoryPropertySource\`

Users sign in as \`user@example.org\`, \`EXAMPLE\\user\` or with the plain name. Nested group memberships are included. The
name of a group is its \`sAMAccountName\`.

${ownKeys(activeDirectoryKeys)}

${exampleFile(activeDirectoryKeys, 'activeDirectory', [])}
`;
}

/** Lists the keys that `ldap` does not have with the same meaning and default, and names the others. */
function ownKeys(keys: Keys): string {
  const sameAs: Keys = ldapKeys;
  const isShared = ([name, { aliases, defaultText, description }]: [string, Key]) =>
    aliases === undefined && sameAs[name]?.description === description && sameAs[name]?.defaultText === defaultText;
  const entries = Object.entries(keys);
  const own = entries.filter((entry) => !isShared(entry)).map(([, key]) => key);
  const shared = entries.filter(isShared).map(([, { key }]) => code(key));
  return `${table(own)}\n\nThese keys are those of \`ldap\` with another prefix: ${shared.join(', ')}.`;
}

function table(keys: readonly Key[]): string {
  const rows = keys.map((one) => {
    const { key, aliases = [], defaultText, secret } = one;
    const names = [key, ...aliases].map(code).join(' or ');
    return tableRow(names, code(defaultText), `${describe(one)}${secret ? ' Never printed.' : ''}`);
  });
  return ['| Key | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
}

/** The description, or the key of `ldap` that has the same one. */
function describe({ key, description }: Key): string {
  const same = Object.values<Key>(ldapKeys).find((one) => one.description === description);
  return same === undefined || same.key === key ? description : `As ${code(same.key)}.`;
}

/** Keys with a default that suits the examples. */
const usual = ['startTls', 'connectTimeoutMs', 'operationTimeoutMs'];

/** A file with the example of each key that has one, except for the usual keys and those in `without`. */
function exampleFile(keys: Keys, example: Example, without: readonly string[]): string {
  const lines = Object.entries(keys)
    .filter(([name, { examples }]) => !usual.includes(name) && !without.includes(name) && examples[example] !== '')
    .map(([, { key, examples }]) => `${key} = ${examples[example]}`);
  return ['```properties', ...lines, '```'].join('\n');
}
