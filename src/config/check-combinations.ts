import { checkBackupSettings } from './backup-settings.js';
import { checkBlobSettings } from './blob-settings.js';
import { checkChatSettings } from './chat-settings.js';
import { checkControlSystemSettings } from './control-system-settings.js';
import { checkIndexSettings } from './index-settings.js';
import { checkMailSettings } from './mail-settings.js';
import { checkPushSettings } from './push-settings.js';
import type { SettingName, SettingValues } from './settings.js';
import { checkStorageSettings } from './storage-settings.js';

/**
 * Finds problems in the combination of settings that are valid on their own. The options that are made from settings
 * cannot express invalid combinations.
 * @param isSet whether the setting has a text, valid or not
 */
export function checkCombinations(values: Partial<SettingValues>, isSet: (name: SettingName) => boolean): string[] {
  const problems: string[] = [];
  if (isSet('tlsCertificateFile') !== isSet('tlsKeyFile')) {
    problems.push('tlsCertificateFile and tlsKeyFile belong together: set both or neither');
  }
  if (isSet('tlsPkcs12File') && isSet('tlsCertificateFile')) {
    problems.push('tlsPkcs12File and tlsCertificateFile exclude each other: set one of them');
  }
  if (isSet('oidcIssuer') !== isSet('oidcClientId')) {
    problems.push('oidcIssuer and oidcClientId belong together: set both or neither');
  }
  if (isSet('oidcClientSecret') && !isSet('oidcIssuer')) {
    problems.push('oidcClientSecret has no effect without oidcIssuer: set both or neither');
  }
  const { httpPort, httpsPort, maxFileSize, maxRequestSize, authenticationProviders } = values;
  if (httpPort === 'off' && httpsPort === 'off') {
    problems.push('httpPort and httpsPort are both off: turn at most one of them off');
  } else if (httpPort !== undefined && httpPort !== 0 && httpPort === httpsPort) {
    problems.push(`httpPort and httpsPort are both ${httpPort}: use two different ports`);
  }
  if (maxFileSize !== undefined && maxRequestSize !== undefined && maxFileSize > maxRequestSize) {
    problems.push(
      `maxFileSize (${maxFileSize} bytes) is above maxRequestSize (${maxRequestSize} bytes), so such a file could not be sent: raise maxRequestSize or lower maxFileSize`,
    );
  }
  if (authenticationProviders?.length === 0 && !isSet('oidcIssuer')) {
    problems.push('authenticationProviders is empty and oidcIssuer is not set: name at least one provider');
  }
  if (values.storage === 'postgres' && values.blobs === 'files' && !isSet('attachmentsDir')) {
    problems.push('attachmentsDir is missing: with storage=postgres, name the directory that all nodes share');
  }
  if (values.storage === 'postgres' && values.blobs === 's3' && isSet('attachmentsDir')) {
    problems.push('attachmentsDir has no effect with blobs=s3: remove one of them');
  }
  if (isSet('replicaSnapshotInterval') && (values.storage === 'embedded' || values.index === 'opensearch')) {
    problems.push(
      'replicaSnapshotInterval has no effect unless storage=postgres and index=embedded: remove it, or set both',
    );
  }
  return [
    ...problems,
    ...checkStorageSettings(values, isSet),
    ...checkBlobSettings(values, isSet, values.backupTarget?.kind === 's3'),
    ...checkBackupSettings(values, isSet),
    ...checkIndexSettings(values, isSet),
    ...checkMailSettings(isSet),
    ...checkPushSettings(isSet),
    ...checkChatSettings(isSet),
    ...checkControlSystemSettings(values, isSet),
  ];
}
