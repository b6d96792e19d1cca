import { activeDirectoryKeys, type DirectoryKey, embeddedLdapKeys, ldapKeys } from '../src/config/directory/keys.js';

type Keys = Readonly<Record<string, DirectoryKey<unknown>>>;
type Example = keyof DirectoryKey<unknown>['examples'];

/** The page `docs/operator/directories.md`, from the keys themselves. */
export function directoriesPage(): string {
  return `# The files that describe directories

Each is a Java properties file in UTF-8; one file may describe several directories. A key that is not listed here is an
error, and all errors are reported together before the start. How people sign in with them is in [sign-in.md](sign-in.md).

## \`ldap\`: the file \`ldapPropertySource\`

${tableOf(ldapKeys)}

For OpenLDAP, users found by their DN, groups by their members:

${exampleOf(ldapKeys, 'openLdap', ['userSearchBase', 'userSearchFilter', 'managerDn', 'managerPassword'])}

For an Active Directory that is asked as a plain directory (\`active_directory\` is less work):

${exampleOf(ldapKeys, 'activeDirectory', ['userDnPattern'])}

## \`embeddedLdap\`: the file \`embeddedLdapPropertySource\`

Without the file, a sample directory answers; its users and passwords stand in \`assets/directory/sample.ldif\`. The directory
listens on the loopback address alone and is read-only. \`userPassword\` may be plain, \`{SHA}\`, \`{SSHA}\`, their 256 and 512
bit kin, or bcrypt.

${tableOf(embeddedLdapKeys)}

## \`active_directory\`: the file \`activeDirectoryPropertySource\`

People give \`user@example.org\`, \`EXAMPLE\\user\` or the plain name. Groups are those they are in, also through other groups.

${tableOf(activeDirectoryKeys)}

${exampleOf(activeDirectoryKeys, 'activeDirectory', [])}
`;
}

function tableOf(keys: Keys): string {
  const rows = Object.values(keys).map(({ key, aliases = [], defaultText, description, examples, secret }) => {
    const names = [key, ...aliases].map((name) => code(name)).join(' or ');
    const cells = [defaultText, examples.openLdap, examples.activeDirectory].map((text) =>
      text === '' ? '' : code(text),
    );
    return `| ${names} | ${cells.join(' | ')} | ${description}${secret ? ' Never printed.' : ''} |`;
  });
  return ['| Key | Default | OpenLDAP | Active Directory | Meaning |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** A file with the examples of all keys that have one. */
function exampleOf(keys: Keys, example: Example, without: readonly string[]): string {
  const lines = Object.entries(keys)
    .filter(([name, { examples }]) => !without.includes(name) && examples[example] !== '')
    .map(([, { key, examples }]) => `${key} = ${examples[example]}`);
  return ['```properties', ...lines, '```'].join('\n');
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}
