import { resolve } from 'node:path';
import { isCurrency } from '@financing-checkout/contract/money';
import { environments } from '@financing-checkout/contract/storefront';
import {
  anySecret,
  anyText,
  apiAddress,
  EnvironmentReader,
  forwardedHeader,
  host,
  integer,
  isApiAddress,
  logVariables,
  matching,
  minutes,
  oneOf,
  port,
  proxies,
  type SettingsOf,
  token,
  tokenLines,
  type Variables,
  type VariableTable,
  webhookAddress,
  webhookSecret,
  yesOrNo,
} from '@financing-checkout/kit/env';
import { isZone } from '@financing-checkout/reconciliation-rules/calendar';
import { defaultSyncSettings } from '../sync/settings.ts';
import { bytesOf, isSize } from './memory.ts';
import { recordStore } from './store.ts';
import { reservedNames, roleLines, scopes } from './tokens.ts';

const size = matching(isSize, 'must be a size such as 256MB or 4GB');
const bytes = { ...size, read: (text: string) => (isSize(text) ? bytesOf(text) : undefined) };
const absolutePath = { ...anyText, read: (text: string) => resolve(text) };
const { overlap, pageSize, parallel, zone } = defaultSyncSettings;

/**
 * Definitions of reconciliation's variables, from which its configuration, the README and error
 * messages are built.
 */
export const variables = {
  RECONCILIATION_ENVIRONMENT: {
    as: 'environment',
    type: oneOf(environments),
    isRequired: true,
    text: "`uat`, `sandbox` or `production`; compared with the companion's and with the record store's",
  },
  RECONCILIATION_STORE: {
    as: 'store',
    type: recordStore,
    fallback: 'sqlite:reconciliation.db',
    isSecret: true,
    text: 'record store: `sqlite:<file>` or `postgres://…`, with one host or several',
  },
  RECONCILIATION_ANALYTICS_FILE: {
    as: 'analytics.file',
    type: anyText,
    otherwise: '`reconciliation.duckdb` next to the record store',
    text: 'analytics database; each process needs its own',
  },
  RECONCILIATION_COMPANION_URL: {
    as: 'companion.url',
    type: apiAddress,
    fallback: 'http://127.0.0.1:4001',
    text: "the companion's back office",
  },
  RECONCILIATION_COMPANION_TOKEN: {
    as: 'companion.token',
    type: token,
    isSecret: true,
    text: 'its token, with the scope `fundings`',
  },
  RECONCILIATION_COMPANION_MONEY_TOKEN: {
    as: 'companion.moneyToken',
    type: token,
    isSecret: true,
    text: 'another token of the companion, with the scopes `money,webhooks`. Without it the program moves no money; with it, `RECONCILIATION_TOKENS` or `RECONCILIATION_OIDC_ISSUER` is required',
  },
  RECONCILIATION_HOST: {
    as: 'listener.host',
    type: host,
    fallback: '127.0.0.1',
    text: 'host of the listener of the HTTP API',
  },
  RECONCILIATION_PORT: { as: 'listener.port', type: port, fallback: '4002', text: 'its port' },
  RECONCILIATION_URL: {
    as: 'listener.url',
    type: apiAddress,
    otherwise: "the listener's address",
    text: 'address for other processes and, behind a proxy, for the browsers of the console; for commands, the address of `serve`',
  },
  RECONCILIATION_TRUSTED_PROXIES: {
    as: 'listener.trustedProxies',
    type: proxies,
    fallback: 'loopback',
    text: 'proxies whose header with the client address is trusted: addresses, ranges, `loopback`, or `none`',
  },
  RECONCILIATION_FORWARDED_HEADER: {
    as: 'listener.forwardedHeader',
    type: forwardedHeader,
    fallback: 'x-forwarded-for',
    text: 'the header that they write: `x-forwarded-for` or `forwarded`',
  },
  RECONCILIATION_TOKENS: {
    as: 'tokens[]',
    type: tokenLines({ scopes, reserved: reservedNames }),
    isSecret: true,
    text: 'access tokens, one per line: name, comma-separated scopes, token. Without tokens and an OpenID provider the API only serves programs and the console on this machine, and moves no money',
  },
  RECONCILIATION_TOKEN_SIGN_IN: {
    as: 'tokenSignIn',
    type: yesOrNo,
    fallback: 'true',
    text: '`false`: people sign in to the console through the OpenID provider alone, and tokens are for programs; see [Sign-in](#sign-in-through-an-openid-provider)',
  },
  RECONCILIATION_OIDC_ISSUER: {
    as: 'signIn?.issuer',
    type: matching(
      (text) => isApiAddress(text) && text.startsWith('https:'),
      'must be an https address without a user, a query or a fragment',
    ),
    text: 'OpenID provider of people: its issuer identifier, from which its configuration is discovered. With it `RECONCILIATION_URL` is required',
  },
  RECONCILIATION_OIDC_CLIENT_ID: {
    as: 'signIn.clientId',
    type: anyText,
    text: 'id of this program at the provider',
  },
  RECONCILIATION_OIDC_CLIENT_SECRET: {
    as: 'signIn.clientSecret',
    type: anySecret,
    isSecret: true,
    otherwise: 'a public client',
    text: 'its secret',
  },
  RECONCILIATION_OIDC_LABEL: {
    as: 'signIn.label',
    type: anyText,
    otherwise: "the issuer's host",
    text: 'name of the provider on the button of the sign-in page',
  },
  RECONCILIATION_OIDC_SCOPE: {
    as: 'signIn.scope',
    type: matching(
      (text) => text.split(/\s+/).includes('openid'),
      'must be OAuth scopes that include openid',
    ),
    fallback: 'openid profile email',
    text: 'OAuth scopes that are requested',
  },
  RECONCILIATION_OIDC_ROLES_CLAIM: {
    as: 'signIn.rolesClaim',
    type: anyText,
    fallback: 'roles',
    text: 'claim with roles or groups, of the ID token or of the userinfo endpoint; a path for a nested one, such as `realm_access.roles`',
  },
  RECONCILIATION_OIDC_ROLES: {
    as: 'signIn.roles',
    type: roleLines,
    text: 'values of that claim with their scopes, one per line or separated by `;`: `finance cases,sync; auditors read`. A person without such a value is refused',
  },
  RECONCILIATION_OIDC_NAME_CLAIM: {
    as: 'signIn.nameClaim',
    type: anyText,
    fallback: 'name',
    text: "claim with the person's name for the trail",
  },
  RECONCILIATION_OIDC_RECHECK_MINUTES: {
    as: 'signIn.recheckMs',
    type: minutes(1, 60),
    fallback: '5',
    text: 'minutes within which the provider has to confirm a session again, if it issues refresh tokens',
  },
  RECONCILIATION_INSECURE: {
    as: 'isInsecure',
    type: yesOrNo,
    fallback: 'false',
    text: '`true`: allows tokens over plain HTTP, for a network that is encrypted in another way',
  },
  RECONCILIATION_ZONE: {
    as: 'sync.zone',
    type: matching(isZone, 'must be the name of a time zone, such as UTC or America/New_York'),
    fallback: zone,
    text: 'the business zone: of funding days, days in queries, dates without a zone in imports, and times in exports and in the console',
  },
  RECONCILIATION_SYNC_MINUTES: {
    as: 'sync.everyMs',
    type: minutes(0, 10_080),
    fallback: '0',
    text: 'minutes between the starts of two syncs; `0`: only on request',
  },
  RECONCILIATION_PAGE_SIZE: {
    as: 'sync.pageSize',
    type: integer(2 * overlap, 20_000),
    fallback: String(pageSize),
    text: 'records per page; fewer are requested if the service refuses as many',
  },
  RECONCILIATION_PARALLEL: {
    as: 'sync.parallel',
    type: integer(1, 16),
    fallback: String(parallel),
    text: 'days to read concurrently',
  },
  RECONCILIATION_POLICY_FILE: {
    type: anyText,
    text: "the merchant's rules: tolerance, deadlines, contracts, alerts; see [Policy](#policy)",
  },
  RECONCILIATION_CHART_FILE: {
    type: anyText,
    otherwise: 'default accounts',
    text: 'the chart of accounts for journals, and settings of accounting systems; see [Journals](docs/journals.md)',
  },
  RECONCILIATION_LAKE: {
    as: 'lake',
    type: absolutePath,
    text: 'existing folder for proven days and judged orders as Parquet; see [Lake](docs/lake.md)',
  },
  RECONCILIATION_DEFAULT_CURRENCY: {
    as: 'defaultCurrency',
    type: matching(isCurrency, 'must be an ISO 4217 code in use'),
    otherwise: 'USD, assumed',
    text: 'currency of fundings whose order has no known currency; the policy takes precedence. If not set, the currency is a guess: marked, and excluded from sums',
  },
  RECONCILIATION_ALERT_URL: { as: 'alerts?.url', type: webhookAddress, text: 'receiver of alerts' },
  RECONCILIATION_ALERT_SECRET: {
    as: 'alerts?.secret',
    type: webhookSecret,
    isSecret: true,
    text: 'secret that signs them as Standard Webhooks (`whsec_…`)',
  },
  RECONCILIATION_MEMORY_LIMIT: {
    as: 'analytics.memoryLimit',
    type: size,
    otherwise: "a quarter of the process's memory limit or of the machine's memory, at least 256MB",
    text: 'memory of the analytics database; `doctor` states it',
  },
  RECONCILIATION_THREADS: {
    as: 'analytics.threads',
    type: integer(1, 256),
    fallback: '1',
    text: 'threads of the analytics database',
  },
  RECONCILIATION_SPILL_LIMIT: {
    as: 'analytics.spillLimit',
    type: size,
    fallback: '4GB',
    text: 'disk that the analytics database may use beside its file',
  },
  RECONCILIATION_IMPORT_LIMIT: {
    as: 'imports.maxBytes',
    type: bytes,
    fallback: '512MB',
    text: 'maximum size of a ledger file; see [importing](docs/importing.md#how-a-file-arrives)',
  },
  RECONCILIATION_TOKEN: { type: token, isSecret: true, text: 'for commands: token of the API' },
  RECONCILIATION_USER: {
    type: anyText,
    otherwise: 'without a token: the logged-in user',
    text: 'for commands: the person who works on cases and withdraws lines',
  },
  RECONCILIATION_DOCS_URL: {
    as: 'listener.docsUrl',
    type: apiAddress,
    otherwise: 'a URN with the code',
    text: 'address of the documentation (`npm run docs`): the `type` of a problem is the address of its page there',
  },
  ...logVariables,
} as const satisfies VariableTable;

/** Prefixes of the variable names, used to find misspelled ones. */
export const prefixes = ['RECONCILIATION_'];

/**
 * Settings before the check for missing required values, so that these problems are reported
 * together with all others.
 */
export type StatedSettings = SettingsOf<typeof variables, undefined>;
export type ReconciliationEnvironment = EnvironmentReader<typeof variables>;

/**
 * Returns a reader of the program's variables.
 * @param readFile reads a text file; throws if it cannot
 */
export function environmentOf(
  given: Variables,
  readFile: (path: string) => string,
): ReconciliationEnvironment {
  return new EnvironmentReader(variables, given, readFile);
}
