import { parseIssuer, parseScopes } from './setting-parsers.js';
import { caFile, flag, optional, optionalText, setting, text } from './setting-types.js';

/** Settings for sign-in in the browser at an OpenID Connect provider. */
export const oidcSettings = {
  oidcIssuer: optional(
    'URL',
    'Issuer URL of the provider, such as https://login.example.org/realms/site. Empty: no OpenID Connect.',
    parseIssuer,
  ),
  oidcClientId: optionalText('ID', 'Client ID of this service at the provider.'),
  oidcClientSecret: {
    ...optionalText('TEXT', 'Client secret of this service at the provider. Empty: a public client.'),
    secret: true,
  },
  oidcCaFile: caFile('PEM file with the CAs to trust at the provider. Empty: the public CAs.'),
  oidcScope: setting('SCOPES', 'openid profile', 'Scopes to request; separated by spaces.', parseScopes),
  oidcUserClaim: text(
    'NAME',
    'preferred_username',
    'Claim with the user name, the owner of entries, or a path such as profile.uid. The provider must never reassign a value.',
  ),
  oidcGroupsClaim: setting(
    'NAME',
    'groups',
    'Claim with the groups of the user, or a path such as realm_access.roles. Empty: groups are not requested.',
    (value): string | undefined => value || undefined,
  ),
  oidcGroupsSeparator: {
    ...text('TEXT', ',', 'Separator of the groups in a claim that is one text, such as ; or |, or the word space.'),
    parse: (value: string) => (value.trim() === 'space' ? ' ' : value.trim() || ','),
  },
  oidcSignOut: flag('true', 'Whether signing out also signs the browser out at the provider, if it offers that.'),
} as const;
