import { type CompanionConfiguration, isScriptUnpinned } from '../../config/config.ts';
import { isLoopback, sharedLimit, type Transport } from '@financing-checkout/kit';
import type { WebhookTarget } from '@financing-checkout/kit/outbox';
import {
  createNodeTransport,
  type NodeTransportOptions,
  proxyFindings,
  usesProxy,
} from '@financing-checkout/kit/outgoing';
import { checkConnection } from './connection.ts';
import { checkSecretFiles, checkStore, isNewStore } from './files.ts';
import { type Finding, misspelled, ok, warning } from '@financing-checkout/kit/cli';
import { checkKeys } from './keys.ts';
import { programmeFindings } from './programmes.ts';
import { checkWebhook } from './webhook.ts';

/** Checks everything that a companion with this configuration needs, without changing anything. */
export async function examine(
  configuration: CompanionConfiguration,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Finding[]> {
  const { baseUrl, caFile, environment, hostedUrl, sdk, unknownVariables, webhook } = configuration;
  const now = Date.now();
  const { proxy } = configuration;
  const isProxied = async (url: string) => proxy !== undefined && (await usesProxy(proxy, url));
  // Behind a proxy the service may not be reachable directly: the keys are checked through the
  // proxy, below.
  const service =
    proxy !== undefined && (await isProxied(baseUrl))
      ? await checkConnection('proxy', proxy.name, { caFile, now })
      : await checkConnection('service', baseUrl, { caFile, now });
  const reachable = service.every(({ status }) => status !== 'failed');
  return [
    ok('configuration', `complete, for "${environment}" at ${new URL(baseUrl).host}`),
    ...misspelled(unknownVariables),
    ...limitFindings(configuration),
    ...checkSecretFiles(env),
    ...programmeFindings(configuration, now),
    ...(await checkStore(configuration.storeLocation, configuration)),
    ...(await proxyFindings(proxy, { service: baseUrl, webhook: webhook?.url })),
    ...service,
    ...(reachable
      ? await withTransport(configuration, (transport) => checkKeys(configuration, transport))
      : []),
    ...(hostedUrl === undefined && sdk === undefined
      ? [
          warning(
            'presentation',
            'no page can show the lenders’ offers',
            'Set FINANCING_SDK_URL, or FINANCING_HOSTED_URL if the service gives you such an address.',
          ),
        ]
      : []),
    ...(sdk !== undefined && isScriptUnpinned(configuration)
      ? [
          warning(
            'presentation',
            `${new URL(sdk.src).host} can run any script in the shop’s page: FINANCING_SDK_INTEGRITY is not set`,
            'The published script has no hash and changes under its address. Let script-src of the shop’s pages name that host and no other, only where shoppers pay; set the hash where the service gives you a script of one version.',
          ),
        ]
      : []),
    ...(configuration.tickets.environmentOptional
      ? [
          warning(
            'order tickets',
            'every companion with the secret accepts a ticket that states no environment: ORDER_TICKET_ENV_OPTIONAL is true',
            'Have the shop sign the claim "env" (docs/order-ticket.md), then remove the variable.',
          ),
        ]
      : []),
    ...(webhook === undefined
      ? [
          warning(
            'webhook',
            'the shop receives no results',
            'Set COMPANION_WEBHOOK_URL, or read each order from the back office.',
          ),
        ]
      : !reachable && (await isProxied(baseUrl)) && (await isProxied(webhook.url))
        ? []
        : await webhookFindings(webhook, configuration)),
  ];
}

/** Sends messages as `serve` does, through the same proxy. */
async function webhookFindings(
  webhook: WebhookTarget,
  { environment, proxy, storeLocation }: CompanionConfiguration,
): Promise<Finding[]> {
  const terms = {
    environment,
    isNew: await isNewStore(storeLocation),
    isProxied: proxy !== undefined && (await usesProxy(proxy, webhook.url)),
  };
  return withTransport({ proxy }, (transport) => checkWebhook(webhook, transport, terms));
}

/** Reports the rate limits per client, and the header that a proxy must send. */
function limitFindings(configuration: CompanionConfiguration): Finding[] {
  const { addressLimit: perAddress, forwardedHeader, storefront, trustedProxies } = configuration;
  if (perAddress === 0) {
    const advice = 'Set COMPANION_RATE_LIMIT_PER_ADDRESS, or limit clients in front of it.';
    return [warning('limits', 'no client is limited by its address', advice)];
  }
  const shared = `those from this machine that name no client share ${sharedLimit(perAddress)}`;
  if (trustedProxies.length === 0) {
    const advice = 'COMPANION_TRUSTED_PROXIES must list the proxy in front of it.';
    const message = isLoopback(storefront.host)
      ? `all requests come from this machine, and ${shared}`
      : `${perAddress} requests a minute of each address that connects: no proxy is trusted, so all shoppers behind one share them`;
    return [warning('limits', message, advice)];
  }
  const header = forwardedHeader === 'forwarded' ? 'Forwarded' : 'X-Forwarded-For';
  const message = `${perAddress} requests a minute of each client, as ${header} of a trusted proxy names it; ${shared}`;
  return [ok('limits', message)];
}

async function withTransport(
  options: NodeTransportOptions,
  check: (transport: Transport) => Promise<Finding[]>,
): Promise<Finding[]> {
  const { transport, close } = createNodeTransport(options);
  try {
    return await check(transport);
  } finally {
    await close();
  }
}
