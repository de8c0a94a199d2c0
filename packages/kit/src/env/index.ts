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
  type SecretFile,
  type Variables,
} from './reader.ts';
export { type ProxyConfiguration, readProxy } from './proxy.ts';
export { type GivenSettings, type SettingsOf, withDefaults } from './settings.ts';
export { IN_MEMORY, type StatedStore, storeLocation } from './store.ts';
export { guardListener, refuseDuplicates, type StatedToken, tokenLines } from './tokens.ts';
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
  minutes,
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
