import { activeDirectoryKeys, type DirectoryKey, embeddedLdapKeys, ldapKeys } from '../src/config/directory/keys.js';

type Keys = Readonly<Record<string, DirectoryKey<unknown>>>;
type Example = keyof DirectoryKey<unknown>['examples'];

/** Generates the page `docs/operator/directories.md` from the keys. */
export function directoriesPage(): string {
  return `# LDAP and Active Directory configuration

Directories are configured in Java properties files in UTF-8. One file may contain the keys of several providers. A key that
is not listed here is an error, and all errors are reported together before the start. [sign-in.md](sign-in.md) describes
the providers, user names and groups.

## \`ldap\`: the file \`ldapPropertySource\`

${table(ldapKeys)}

OpenLDAP, with users found by their DN and groups by their members:

${exampleFile(ldapKeys, 'openLdap', ['userSearchBase', 'userSearchFilter', 'managerDn', 'managerPassword'])}

Active Directory as a plain LDAP directory (the provider \`active_directory\` needs less configuration):

${exampleFile(ldapKeys, 'activeDirectory', ['userDnPattern'])}

## \`embeddedLdap\`: the file \`embeddedLdapPropertySource\`

Without the file, the embedded directory serves a sample; its users and passwords are in \`assets/directory/sample.ldif\`. The
directory is read-only and listens on the loopback address only. \`userPassword\` may be plain text, \`{SHA}\`, \`{SSHA}\`,
their 256 and 512 bit variants, or bcrypt.

${table(embeddedLdapKeys)}

## \`active_directory\`: the file \`activeDirectoryPropertySource\`

Users sign in as \`user@example.org\`, \`EXAMPLE\\user\` or with the plain name. Nested group memberships are included. The
name of a group is its \`sAMAccountName\`.

${table(activeDirectoryKeys)}

${exampleFile(activeDirectoryKeys, 'activeDirectory', [])}
`;
}

function table(keys: Keys): string {
  const rows = Object.values(keys).map(({ key, aliases = [], defaultText, description, examples, secret }) => {
    const names = [key, ...aliases].map((name) => code(name)).join(' or ');
    const cells = [defaultText, examples.openLdap, examples.activeDirectory].map((text) =>
      text === '' ? '' : code(text),
    );
    return `| ${names} | ${cells.join(' | ')} | ${description.replaceAll('|', '\\|')}${secret ? ' Never printed.' : ''} |`;
  });
  return ['| Key | Default | OpenLDAP | Active Directory | Meaning |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** A file with the example of each key that has one, except for the keys in `without`. */
function exampleFile(keys: Keys, example: Example, without: readonly string[]): string {
  const lines = Object.entries(keys)
    .filter(([name, { examples }]) => !without.includes(name) && examples[example] !== '')
    .map(([, { key, examples }]) => `${key} = ${examples[example]}`);
  return ['```properties', ...lines, '```'].join('\n');
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}
