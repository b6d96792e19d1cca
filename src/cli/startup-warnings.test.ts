import { expect, test } from 'vitest';
import { loadConfig } from '../config/load-config.js';
import { findStartupNotes, findStartupWarnings } from './startup-warnings.js';

const warningsOf = (flags: Record<string, string>) =>
  findStartupWarnings(loadConfig({ flags, properties: {}, configFile: undefined }, {}).options);

const evaluationUsers = expect.stringContaining('The evaluation users admin and user can sign in from other hosts');
const sampleDirectory = expect.stringContaining('The users of the sample directory can sign in from other hosts');
const postgres = { storage: 'postgres', postgresHosts: 'localhost', attachmentsDir: '/mnt/attachments' };
const rolesWithoutEffect = expect.stringContaining('roles have no effect');

test.each<[flags: Record<string, string>, notes: unknown[]]>([
  [{}, []],
  [{ authenticationProviders: 'embeddedLdap' }, [expect.stringContaining('Set adminGroups=logbook-admins')]],
  [{ authenticationProviders: 'embeddedLdap', adminGroups: 'Logbook-Admins' }, []],
])('notes for %j', (flags, notes) => {
  expect(findStartupNotes(loadConfig({ flags, properties: {}, configFile: undefined }, {}).options)).toEqual(notes);
});

test.each<[flags: Record<string, string>, warnings: unknown[]]>([
  [{}, []],
  [{ host: '::1' }, []],
  [{ host: '0.0.0.0' }, [evaluationUsers]],
  [{ publicUrl: 'https://log.example.org' }, [evaluationUsers]],
  [{ trustedProxies: '127.0.0.1' }, [evaluationUsers]],
  [{ oidcIssuer: 'https://login.example.org', oidcClientId: 'logbook' }, [evaluationUsers]],
  [{ authenticationProviders: 'embeddedLdap' }, []],
  [{ authenticationProviders: 'embeddedLdap', host: '0.0.0.0' }, [sampleDirectory]],
  [{ adminGroups: 'admins' }, []],
  [{ tagGroups: 'experts' }, [rolesWithoutEffect]],
  [{ tagGroups: 'experts', permissions: 'roles' }, []],
  [{ ...postgres, drainDuration: '5s' }, []],
  [postgres, [expect.stringContaining('Set drainDuration')]],
])('warnings for %j', (flags, warnings) => {
  expect(warningsOf(flags)).toEqual(warnings);
});
