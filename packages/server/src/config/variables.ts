import { isCurrency } from '@financing-checkout/contract/money';
import { environments } from '@financing-checkout/contract/storefront';
import {
  anyText,
  apiAddress,
  EnvironmentReader,
  forwardedHeader,
  host,
  integer,
  isInQuotationMarks,
  logVariables,
  matching,
  oneOf,
  port,
  proxies,
  QUOTED,
  type SettingsOf,
  secretText,
  storeLocation,
  token,
  tokenLines,
  type VariableTable,
  type VariableType,
  webhookAddress,
  webhookSecret,
  yesOrNo,
} from '@financing-checkout/kit/env';
import { isBearerValue } from '@financing-checkout/kit';
import {
  DEFAULT_TICKET_AUDIENCE,
  DEFAULT_TICKET_MAX_LIFETIME_SECONDS,
  MIN_TICKET_SECRET_BYTES,
} from '@financing-checkout/ticket';
import { PrivateKey } from '../keys/private-key.ts';
import { canonicalOrigin, isBaseUrl, knownBaseUrls, originProblem } from './base-url.ts';
import { scopes } from './scopes.ts';
import { readStoreUrl } from './store.ts';

/** The global that the service's script sets (published contract, browser SDK). */
const PUBLISHED_GLOBAL = 'ChargeAfter';

const privateKey: VariableType<PrivateKey> = {
  read: (text) => (PrivateKey.isPossible(text) ? new PrivateKey(text) : undefined),
  rule: 'must be 16 to 512 visible ASCII characters without spaces',
};
const ticketSecret = secretText(
  (text) => new TextEncoder().encode(text).length >= MIN_TICKET_SECRET_BYTES,
  `must have ${MIN_TICKET_SECRET_BYTES} bytes or more`,
);
/** A header value: spaces are allowed inside ("Bearer x"), but not at either end. */
const authorization = secretText(
  (text) => text.length >= 16 && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text),
  'must be 16 or more visible ASCII characters, as a header value',
);
/** Origins in the form that browsers send. */
const origins: VariableType<string[]> = {
  read(text, { refuse }) {
    const entries = text.split(',').map((entry) => entry.trim());
    for (const [index, entry] of entries.entries()) {
      const problem = originProblem(entry);
      if (problem !== undefined) refuse(`entry ${index + 1} ${problem}`);
    }
    return entries.map((entry) => canonicalOrigin(entry) ?? entry);
  },
  rule: 'must list origins, separated by commas',
};
const milliseconds = (most: number) => integer(500, most, 'milliseconds');
const ofOrder = integer(0, 1_000);

const placeholders = new Set(['sessionToken', 'publicKey', 'origin', 'returnUrl', 'locale']);
export const HOSTED_RULE =
  'must be an https address (http too, but in production only on this machine) with {sessionToken} and no other placeholders than {publicKey}, {origin}, {returnUrl}, {locale}';

/**
 * The companion's variables. Its configuration, the README and error messages are derived from this
 * table.
 */
export const variables = {
  FINANCING_ENVIRONMENT: {
    as: 'environment',
    type: oneOf(environments),
    isRequired: true,
    text: '`uat`, `sandbox` or `production`',
  },
  FINANCING_BASE_URL: {
    as: 'baseUrl',
    type: matching(isBaseUrl, 'must be an https address'),
    isRequired: true,
    text: 'base address of the service, https only',
  },
  FINANCING_CA_FILE: {
    as: 'caFile',
    type: anyText,
    text: 'PEM file of an additional trusted CA; `NODE_TLS_REJECT_UNAUTHORIZED=0` has no effect',
  },
  FINANCING_PUBLIC_API_KEY: {
    as: 'publicKey',
    type: matching(isBearerValue, 'must be visible ASCII characters without spaces'),
    isRequired: true,
    isSecret: true,
    text: 'key that pages send',
  },
  FINANCING_PRIVATE_API_KEY: {
    as: 'privateKey',
    type: privateKey,
    isRequired: true,
    isSecret: true,
    text: 'key that this process alone holds',
  },
  FINANCING_PRIVATE_API_KEY_NEXT: {
    as: 'nextPrivateKey',
    type: privateKey,
    isSecret: true,
    mayFileBeEmpty: true,
    text: 'the key to try when the service answers 401 to the current one',
  },
  FINANCING_HOSTED_URL: {
    as: 'hostedUrl',
    type: matching(isHostedTemplate, HOSTED_RULE),
    text: 'address template of a hosted page, if the service gives you one (it publishes none), with `{sessionToken}` and any of `{publicKey}`, `{origin}`, `{returnUrl}`, `{locale}`; without it and without the SDK shoppers see no offers',
  },
  FINANCING_SDK_URL: {
    as: 'sdk?.src',
    type: matching(isScriptAddress, 'must be an https address, or http on this machine'),
    text: 'the service’s browser SDK: address of the script; published: `https://cdn.chargeafter.com/web/v2/chargeafter.min.js` (Production) and `https://cdn-sandbox.ca-dev.co/web/v2/chargeafter.min.js` (Sandbox), none for UAT',
  },
  FINANCING_SDK_GLOBAL: {
    as: 'sdk.global',
    type: matching(
      (text) => /^[A-Za-z_$][\w$]*$/.test(text),
      'must be the name of the global that the script sets',
    ),
    fallback: PUBLISHED_GLOBAL,
    text: 'the global of the SDK’s script',
  },
  FINANCING_SDK_INTEGRITY: {
    as: 'sdk.integrity',
    type: matching(
      (text) => /^sha(256|384|512)-[A-Za-z0-9+/]+=*$/.test(text),
      'must be a hash such as sha384-…',
    ),
    text: 'the integrity hash of the SDK’s script',
  },
  FINANCING_CHECKOUT_OPERATION: {
    as: 'checkoutOperation',
    type: oneOf(['prime', 'session']),
    fallback: 'prime',
    text: 'operation that opens a session: `prime` (`/v1/checkout/prime`) or `session` (`/v3/session`, which accepts a consumer only with all required fields)',
  },
  FINANCING_PROGRAMMES_FILE: {
    type: anyText,
    text: "file of the lenders' programmes that pages show before a checkout, watched: [docs/before-checkout.md](docs/before-checkout.md); without it `GET /programmes` is empty",
  },
  FINANCING_SETTLE: {
    as: 'settle',
    type: oneOf(['on-approval', 'later']),
    fallback: 'on-approval',
    text: '`on-approval` or `later`',
  },
  FINANCING_DEFAULT_CURRENCY: {
    as: 'defaultCurrency',
    type: matching(isCurrency, 'must be an ISO 4217 code in use'),
    fallback: 'USD',
    text: 'currency of a funding whose order the companion does not know, marked `currencyAssumed`',
  },
  FINANCING_DEADLINE_MS: {
    as: 'deadlineMs',
    type: milliseconds(60_000),
    fallback: '10000',
    text: 'time limit of one call to the service including retries, in milliseconds, 500 to 60000; [other waits follow from it](docs/store.md#waits)',
  },
  FINANCING_CHARGE_DEADLINE_MS: {
    as: 'chargeDeadlineMs',
    type: milliseconds(180_000),
    fallback: '60000',
    text: 'time limit of the call that creates a charge, in milliseconds, 500 to 180000',
  },
  FINANCING_KNOWN_BASE_URLS: {
    as: 'knownBaseUrls',
    type: knownBaseUrls,
    text: 'base addresses by environment (`uat=https://…,production=https://…`): a mix-up is refused at the start, and `doctor` finds the environment of a key',
  },
  FINANCING_CONCURRENCY: {
    as: 'concurrency',
    type: integer(1, 10_000),
    fallback: '64',
    text: 'concurrent calls to the service',
  },
  FINANCING_QUEUE: {
    as: 'queue',
    type: integer(0, 100_000),
    fallback: '256',
    text: 'calls that may wait for a free place',
  },
  ORDER_TICKET_SECRET: {
    as: 'tickets.secrets[]',
    type: ticketSecret,
    isRequired: true,
    isSecret: true,
    text: "HS256 secret shared with the shop's backend, 32 bytes or more",
  },
  ORDER_TICKET_SECRET_PREVIOUS: {
    as: 'tickets.secrets[]',
    type: ticketSecret,
    isSecret: true,
    text: 'previous secret, accepted during a rotation',
  },
  ORDER_TICKET_AUDIENCE: {
    as: 'tickets.audience',
    type: matching((text) => !isInQuotationMarks(text), `must not be ${QUOTED}`),
    fallback: DEFAULT_TICKET_AUDIENCE,
    text: 'audience (`aud`) that tickets must state',
  },
  ORDER_TICKET_ONE_TIME: {
    as: 'oneTimeTickets',
    type: yesOrNo,
    fallback: 'false',
    text: '`true`: a ticket opens only one checkout at a time',
  },
  ORDER_TICKET_ENV_OPTIONAL: {
    as: 'tickets.environmentOptional',
    type: yesOrNo,
    fallback: 'false',
    text: '`true`: a ticket may state no environment (`env`), for a shop that does not sign it yet; every companion with the secret accepts such a ticket',
  },
  ORDER_TICKET_MAX_LIFETIME_SECONDS: {
    as: 'tickets.maxLifetimeSeconds',
    type: integer(60, 31_536_000, 'seconds'),
    fallback: String(DEFAULT_TICKET_MAX_LIFETIME_SECONDS),
    text: 'maximum lifetime of a ticket in seconds, from `iat` to `exp`, 60 to 31536000 (a ticket whose `iat` is more than 60 s in the future is refused)',
  },
  COMPANION_ALLOWED_ORIGINS: {
    as: 'allowedOrigins',
    type: origins,
    isRequired: true,
    text: 'origins of storefront pages, separated by commas, without wildcards',
  },
  COMPANION_HOST: {
    as: 'storefront.host',
    type: host,
    fallback: '127.0.0.1',
    text: 'host of the storefront listener',
  },
  COMPANION_PORT: {
    as: 'storefront.port',
    type: port,
    fallback: '4000',
    text: 'port of the storefront listener',
  },
  COMPANION_TRUSTED_PROXIES: {
    as: 'trustedProxies',
    type: proxies,
    fallback: 'loopback',
    text: 'proxies whose header with the client address is trusted: addresses, ranges, `loopback`, or `none`',
  },
  COMPANION_FORWARDED_HEADER: {
    as: 'forwardedHeader',
    type: forwardedHeader,
    fallback: 'x-forwarded-for',
    text: 'the header that they write: `x-forwarded-for` or `forwarded`',
  },
  COMPANION_RATE_LIMIT_PER_ADDRESS: {
    as: 'addressLimit',
    type: integer(0, 1_000_000),
    fallback: '120',
    text: 'requests per minute from one client address (IPv6: its /64); 0 is no limit; requests from this machine that name no client share 50 times as many, and the log warns once',
  },
  COMPANION_CONCURRENCY_PER_ADDRESS: {
    as: 'addressConcurrency',
    type: integer(0, 1_000_000),
    // An eighth of the concurrent calls to the service.
    fallback: '8',
    text: 'requests of one client address (IPv6: its /64) that are worked on at a time; the others wait for their turn, so that one address cannot fill the queue of the service; 0 is no limit',
  },
  COMPANION_RATE_LIMIT_PER_KEY: {
    as: 'keyLimit',
    type: integer(0, 10_000_000),
    fallback: '60000',
    text: 'requests per minute with the public key, all shoppers together',
  },
  COMPANION_RATE_LIMIT_OPEN_PER_ORDER: {
    as: 'orderBudgets.openCheckouts',
    type: ofOrder,
    fallback: '5',
    text: 'open checkouts of one order at a time; 0 is no limit',
  },
  COMPANION_RATE_LIMIT_PRIMES_PER_ORDER: {
    as: 'orderBudgets.primes',
    type: ofOrder,
    fallback: '20',
    text: 'primes of one order in ten minutes; 0 is no limit',
  },
  COMPANION_RATE_LIMIT_REFUSALS_PER_ORDER: {
    as: 'orderBudgets.refusals',
    type: ofOrder,
    fallback: '10',
    text: 'refused charges of one order in an hour; 0 is no limit',
  },
  COMPANION_RATE_LIMIT_STARTS_PER_ADDRESS: {
    as: 'startBudget.perAddress',
    type: integer(0, 1_000_000),
    fallback: '20',
    text: 'forms without script (`POST /checkout/start`) that one client address may send in a minute, refused and repeated ones included; 0 is no limit',
  },
  COMPANION_RATE_LIMIT_STARTS_PER_TICKET: {
    as: 'startBudget.perTicket',
    type: integer(0, 1_000_000),
    fallback: '30',
    text: 'the same for one order ticket, from all addresses together',
  },
  COMPANION_RATE_LIMIT_PREQUALIFICATIONS_PER_ADDRESS: {
    as: 'prequalificationBudget.perAddress',
    type: integer(0, 1_000_000),
    fallback: '20',
    text: 'applications without a cart that one client address may begin in a minute, refused and repeated requests included; 0 is no limit',
  },
  COMPANION_RATE_LIMIT_PREQUALIFICATIONS: {
    as: 'prequalificationBudget.total',
    type: integer(0, 1_000_000),
    fallback: '600',
    text: 'the same for all pages together',
  },
  COMPANION_RATE_LIMIT_LINK_MESSAGES_PER_RECIPIENT: {
    as: 'linkMessageBudgets.perRecipient',
    type: ofOrder,
    fallback: '5',
    text: 'links that the service sends to one phone or e-mail address in 24 hours, of all tokens together; 0 is no limit',
  },
  COMPANION_RATE_LIMIT_LINK_MESSAGES_PER_TOKEN: {
    as: 'linkMessageBudgets.perToken',
    type: integer(0, 10_000),
    fallback: '100',
    text: 'links that the service sends for one back-office token in an hour; 0 is no limit',
  },
  COMPANION_BACK_OFFICE_HOST: {
    as: 'backOffice.host',
    type: host,
    fallback: '127.0.0.1',
    text: 'host of the back-office listener',
  },
  COMPANION_BACK_OFFICE_PORT: {
    as: 'backOffice.port',
    type: port,
    fallback: '4001',
    text: 'port of the back-office listener',
  },
  COMPANION_BACK_OFFICE_TOKENS: {
    as: 'backOfficeTokens[]',
    type: tokenLines({ scopes }),
    isSecret: true,
    text: 'tokens with a name and scopes, see [Tokens of the back office](#tokens-of-the-back-office); required when the listener is not on loopback',
  },
  COMPANION_BACK_OFFICE_TOKEN: {
    type: token,
    isSecret: true,
    text: 'one bearer token that permits everything, for a set-up on one machine, and the token of commands. Without any token, programs on this machine may [read](#tokens-of-the-back-office), and nothing else',
  },
  COMPANION_BACK_OFFICE_INSECURE: {
    as: 'backOfficeInsecure',
    type: yesOrNo,
    fallback: 'false',
    text: '`true`: tokens may cross a network in plain HTTP; the log warns at each start. Otherwise the listener stays on loopback, and commands send a token to another machine over https only',
  },
  COMPANION_BACK_OFFICE_URL: {
    type: apiAddress,
    otherwise: 'the listener of this machine',
    text: 'for commands: address of the companion for `charges`, `links`, `webhooks` and `fundings`. For https with your own CA, set `NODE_EXTRA_CA_CERTS` to its file',
  },
  COMPANION_USER: {
    type: anyText,
    otherwise: 'without a token: the logged-in user',
    text: 'for commands: the person who resolves a charge operation (`charges resolve`) without `--by`',
  },
  COMPANION_STORE: {
    as: 'storeLocation',
    type: storeLocation(readStoreUrl, 'companion.db'),
    fallback: 'sqlite:companion.db',
    isSecret: true,
    text: '`sqlite:<file>` or `postgres://…`, with one host or several, which companions share',
  },
  COMPANION_MIGRATE: {
    as: 'migrate',
    type: oneOf(['on-start', 'never']),
    fallback: 'on-start',
    text: '`on-start` or `never`: then run `financing-companion migrate`',
  },
  COMPANION_WEBHOOK_URL: {
    as: 'webhook?.url',
    type: webhookAddress,
    text: "address of the shop's backend that receives results",
  },
  COMPANION_WEBHOOK_SECRET: {
    as: 'webhook?.secret',
    type: webhookSecret,
    isSecret: true,
    text: 'Standard Webhooks secret: `whsec_` and 24 to 64 random bytes in base64',
  },
  COMPANION_WEBHOOK_SECRET_PREVIOUS: {
    as: 'webhook.previousSecret',
    type: webhookSecret,
    isSecret: true,
    text: 'second signature of messages during a rotation',
  },
  COMPANION_WEBHOOK_DEADLINE_MS: {
    as: 'webhook.deadlineMs',
    type: milliseconds(60_000),
    fallback: '15000',
    text: "time limit for the shop's backend to answer a message, in milliseconds, 500 to 60000",
  },
  NOTIFICATION_AUTHORIZATION: {
    as: 'notificationAuthorizations[]',
    type: authorization,
    isSecret: true,
    text: 'Authorization header that the service sends with notifications; without it notifications are refused',
  },
  NOTIFICATION_AUTHORIZATION_PREVIOUS: {
    as: 'notificationAuthorizations[]',
    type: authorization,
    isSecret: true,
    text: 'previous value, accepted during a change',
  },
  COMPANION_DOCS_URL: {
    as: 'docsUrl',
    type: apiAddress,
    otherwise: 'a URN with the code',
    text: 'address of the documentation (`npm run docs`): the `type` of a problem is the address of its page there',
  },
  ...logVariables,
} as const satisfies VariableTable;

/** Prefixes of variable names, to detect misspelled variables. */
export const prefixes = [
  'FINANCING_',
  'COMPANION_',
  'ORDER_TICKET_',
  'NOTIFICATION_AUTHORIZATION_',
];

/** A companion's settings, as described by the table. Secrets print as "[redacted]". */
export type Settings = SettingsOf<typeof variables>;
/** Settings that may lack required values, so that those problems are reported with all others. */
export type StatedSettings = SettingsOf<typeof variables, undefined>;
/** The settings of the APIs and the background work, which send requests through the service client. */
export type CompanionSettings = Omit<Settings, 'baseUrl' | 'privateKey' | 'nextPrivateKey'>;
export type CompanionEnvironment = EnvironmentReader<typeof variables>;

/** Returns a reader for the companion's variables. @param readFile reads a text file, or throws */
export function environmentOf(
  given: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): CompanionEnvironment {
  return new EnvironmentReader(variables, given, readFile);
}

function isScriptAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return (
    protocol === 'https:' ||
    (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))
  );
}

export const filledTemplate = (template: string) => template.replace(/\{\w*\}/g, 'x');

/**
 * Returns whether a string is a URL template for the hosted page, with the session placeholder and
 * without unknown placeholders.
 */
function isHostedTemplate(text: string): boolean {
  const names = Array.from(text.matchAll(/\{(\w*)\}/g), (match) => match[1] ?? '');
  const filled = filledTemplate(text);
  return (
    names.includes('sessionToken') &&
    names.every((name) => placeholders.has(name)) &&
    !/[{}]/.test(filled) &&
    URL.canParse(filled) &&
    /^https?:\/\//.test(filled)
  );
}
