import type { CompanionConfiguration } from '../../config/config.ts';
import { createNodeTransport } from '../transport.ts';
import { checkConnection } from './connection.ts';
import { checkSecretFiles, checkStore } from './files.ts';
import { type Finding, ok, warning } from './finding.ts';
import { checkKeys } from './keys.ts';

/** Looks at everything a companion with this configuration needs. Changes nothing anywhere. */
export async function examine(
  configuration: CompanionConfiguration,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Finding[]> {
  const { baseUrl, caFile, environment, hostedUrl, sdk, unknownVariables, webhook } = configuration;
  const { alerts } = configuration.reconciliation;
  const now = Date.now();
  const service = await checkConnection('service', baseUrl, { caFile, now });
  const reachable = service.every(({ status }) => status !== 'failed');
  return [
    ok('configuration', `complete, for "${environment}" at ${new URL(baseUrl).host}`),
    ...unknownVariables.map((name) =>
      warning(
        'configuration',
        `${name} is not a variable of the companion`,
        'Is it spelled right?',
      ),
    ),
    ...checkSecretFiles(env),
    ...(await checkStore(configuration.store, configuration)),
    ...service,
    ...(reachable ? await keyFindings(configuration) : []),
    ...(hostedUrl === undefined && sdk === undefined
      ? [
          warning(
            'presentation',
            'no page can show the lenders’ offers',
            'Set FINANCING_SDK_URL, or FINANCING_HOSTED_URL where the service gives you such an address.',
          ),
        ]
      : []),
    ...(webhook === undefined
      ? [
          warning(
            'webhook',
            'nobody is told of results',
            'Set COMPANION_WEBHOOK_URL, or ask the back office for each order.',
          ),
        ]
      : await checkConnection('webhook', webhook.url, { caFile: undefined, now })),
    ...(alerts === undefined
      ? []
      : await checkConnection('alerts', alerts.url, { caFile: undefined, now })),
  ];
}

async function keyFindings(configuration: CompanionConfiguration): Promise<Finding[]> {
  const { transport, close } = createNodeTransport({ caFile: configuration.caFile });
  try {
    return await checkKeys(configuration, transport);
  } finally {
    await close();
  }
}
