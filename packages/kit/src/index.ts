/*
 * Code that every program needs and that is not specific to a product. It knows neither the
 * service's keys nor the contract.
 */
export {
  type Access,
  type AccessRefusal,
  type AccessRules,
  type Caller,
  createAccess,
} from './access/access.ts';
export { type AccessRequest, hostOf, isLoopbackHost, isOfProgram } from './access/machine.ts';
export { equalInConstantTime } from './secret/secret.ts';
export { type AccessToken, isBearerValue, isTokenName, LOOPBACK_ACTOR } from './access/token.ts';
export { type Clock, delay, isoTime, systemClock, watchClock } from './clock/clock.ts';
export { isAddressRange, isIpv6, isLoopback } from './limits/address.ts';
export {
  AddressLimit,
  type ClientBlock,
  clientBlock,
  sharedLimit,
} from './limits/address-limit.ts';
export {
  type ClientAddress,
  type ClientAddressOptions,
  createClientAddress,
  forwardedHeaders,
  PROXIES_RULE,
  readProxies,
} from './limits/client-address.ts';
export { failureCode, isNotSent, PROXY_REFUSED } from './outbox/failure-code.ts';
export {
  retryAfterMs,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './outbox/transport.ts';
export { type LimitClock, RateLimit } from './limits/rate-limit.ts';
export {
  describeError,
  type ErrorDescription,
  type FieldList,
  listedFields,
  type Logger,
  type LogLevel,
  silentLogger,
} from './log/logger.ts';
export {
  columnsOf,
  detailText,
  type FlatRow,
  type FlatTable,
  type FlatValue,
  flatRows,
} from './operation/rows.ts';
export { Redacted, Secret } from './secret/secret.ts';
export {
  type PostgresAddress,
  type PostgresDefaults,
  postgresName,
  type PostgresTls,
  PostgresUrlError,
  readPostgresUrl,
} from './sql/postgres-url.ts';
