/*
 * A program's environment variables as one table, from which the reader, the errors and the
 * documentation are derived.
 */
export { secretNamesOf, withExitCodes, withVariables } from './document.ts';
export {
  ConfigurationError,
  type ConfigurationProblem,
  EnvironmentReader,
  problemsOf,
  SecretFiles,
  type Variables,
} from './reader.ts';
export { type ProxyConfiguration, readProxy } from './proxy.ts';
export { IN_MEMORY, readStoreLocation, type StatedStore } from './store.ts';
export { guardListener, readTokens, refuseDuplicates, type StatedToken } from './tokens.ts';
export { isApiAddress, isInQuotationMarks, isPlainOverNetwork, QUOTED } from './values.ts';
export {
  anySecret,
  anyText,
  apiAddress,
  forwardedHeader,
  host,
  integer,
  logVariables,
  matching,
  oneOf,
  port,
  proxies,
  secretText,
  token,
  type ValueOf,
  type Variable,
  type VariableTable,
  type VariableType,
  webhookAddress,
  webhookSecret,
  yesOrNo,
} from './variable.ts';
