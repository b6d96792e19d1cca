import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { isInstalled } from '../../kernel/command-hint.js';
import { ConfigurationError } from '../../kernel/configuration-error.js';
import { describeFileError } from '../../kernel/file-error.js';
import { UsageError } from '../usage-error.js';
import type { Question, Questions } from './questions.js';

/** Flags of `init`, with which a script answers its questions. */
export interface InitFlags {
  readonly output?: string;
  readonly overwrite?: boolean;
  readonly yes?: boolean;
  readonly serviceUser?: string;
  readonly data?: string;
  readonly name?: string;
  readonly certificate?: string;
  readonly key?: string;
  readonly signIn?: string;
  readonly directory?: string;
  readonly directoryCa?: string;
  readonly baseDn?: string;
  readonly userPattern?: string;
  readonly groupsBase?: string;
  readonly domain?: string;
  readonly admins?: string;
  readonly testUser?: string;
  readonly testPasswordFile?: string;
  readonly backups?: string;
}

export interface Answers {
  readonly dataDir: string;
  /** Host name of the service, with a port if that is not 8181. */
  readonly name: string;
  /** The certificate and its key. If both are empty, the service generates a self-signed certificate. */
  readonly certificate: string;
  readonly key: string;
  readonly signIn: 'ldap' | 'active_directory';
  /** Keys and values of the file that configures the directory. */
  readonly directory: readonly (readonly [string, string])[];
  readonly admins: string;
  readonly testUser: string;
  readonly testPassword: string;
  /** Directory of the backups; empty for no backups. */
  readonly backups: string;
}

const question = (flag: string, text: string, more: Partial<Question> = {}): Question => ({ flag, text, ...more });

export async function askAll(flags: InitFlags, questions: Questions): Promise<Answers> {
  const ask = (one: Question, given: string | undefined) => questions.ask(one, given);
  const defaultDir = isInstalled() ? '/var/lib/logbook' : 'logbook-data';
  const dataDir = resolve(await ask(question('--data', 'Data directory:'), flags.data ?? defaultDir));
  const name = await ask(
    question('--name', 'Name under which users reach the service, without https://:', nameRule),
    flags.name,
  );
  const certificate = await ask(
    question(
      '--certificate',
      'PEM file with its certificate chain (empty: a self-signed certificate, to begin with):',
      { suggestion: '' },
    ),
    flags.certificate,
  );
  if (certificate === '' && flags.key !== undefined) {
    throw new UsageError(`--key ${flags.key}: give its certificate with --certificate`);
  }
  const key =
    certificate === '' ? '' : await ask(question('--key', 'PEM file with the key of the certificate:'), flags.key);
  const signIn = await ask(
    question('--sign-in', 'Users sign in with ldap or active_directory:', { suggestion: 'ldap', check: signInRule }),
    flags.signIn,
  );
  const directory = signIn === 'ldap' ? await askLdap(flags, questions) : await askDomain(flags, questions);
  const admins = await ask(
    question('--admins', 'Group of the directory whose members become administrators (empty: none):', {
      suggestion: '',
    }),
    flags.admins,
  );
  const testUser = await ask(question('--test-user', 'A user, to test the sign-in:'), flags.testUser);
  const testPassword =
    flags.testPasswordFile === undefined
      ? await ask(
          question('--test-password-file', 'Password of this user, which is not stored:', { isSecret: true }),
          undefined,
        )
      : readPassword(flags.testPasswordFile);
  const backups = await ask(
    question('--backups', 'Directory for backups, best on another disk (empty: none):', { suggestion: '' }),
    flags.backups,
  );
  return {
    dataDir,
    name,
    admins,
    testUser,
    testPassword,
    directory,
    certificate: absolute(certificate),
    key: absolute(key),
    backups: absolute(backups),
    signIn: signIn === 'ldap' ? 'ldap' : 'active_directory',
  };
}

async function askLdap(flags: InitFlags, questions: Questions): Promise<Answers['directory']> {
  const urls = await questions.ask(
    question('--directory', 'URL of the directory, such as ldaps://ldap.example.org:'),
    flags.directory,
  );
  const ca = await askCa(flags, questions);
  const baseDn = await questions.ask(question('--base-dn', 'Base DN, such as dc=example,dc=org:'), flags.baseDn);
  const pattern = await questions.ask(
    question('--user-pattern', 'Pattern of a user DN, relative to the base DN, with {0} for the user name:', {
      suggestion: 'uid={0},ou=people',
    }),
    flags.userPattern,
  );
  const groups = await questions.ask(
    question('--groups-base', 'DN of the groups, relative to the base DN (empty: no groups):', {
      suggestion: 'ou=groups',
    }),
    flags.groupsBase,
  );
  return [
    ['ldap.urls', urls],
    ['ldap.ca.file', ca],
    ['ldap.base.dn', baseDn],
    ['ldap.user.dn.pattern', pattern],
    ['ldap.groups.search.base', groups],
  ];
}

async function askDomain(flags: InitFlags, questions: Questions): Promise<Answers['directory']> {
  const url = await questions.ask(
    question('--directory', 'URL of a domain controller, such as ldaps://dc1.example.org:'),
    flags.directory,
  );
  const ca = await askCa(flags, questions);
  const domain = await questions.ask(question('--domain', 'Domain, such as example.org:'), flags.domain);
  return [
    ['ad.url', url],
    ['ad.ca.file', ca],
    ['ad.domain', domain],
  ];
}

const askCa = async (flags: InitFlags, questions: Questions): Promise<string> =>
  absolute(
    await questions.ask(
      question('--directory-ca', 'PEM file with the CA of the directory server (empty: public CAs):', {
        suggestion: '',
      }),
      flags.directoryCa,
    ),
  );

const absolute = (path: string): string => (path === '' ? '' : resolve(path));

const nameRule = {
  suggestion: hostname(),
  check: (answer: string) =>
    URL.canParse(`https://${answer}`) && new URL(`https://${answer}`).pathname === '/' && !/[/@?#]/.test(answer)
      ? undefined
      : 'write a host name, such as logbook.example.org or logbook.example.org:8443',
};

const signInRule = (answer: string): string | undefined =>
  answer === 'ldap' || answer === 'active_directory' ? undefined : 'write ldap or active_directory';

function readPassword(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new ConfigurationError(`--test-password-file: ${describeFileError(error) ?? (error as Error).message}`);
  }
}
