/** The service's environments (specification 5.4). */
export const environmentNames = ['uat', 'sandbox', 'production'] as const;
export type EnvironmentName = (typeof environmentNames)[number];

/**
 * Path each environment's base address has on the API listener. The sandbox environment's is the
 * bare origin; the others show a client that takes a base address for an origin.
 */
export const environmentPaths: Readonly<Record<EnvironmentName, string>> = {
  sandbox: '',
  uat: '/uat',
  production: '/production',
};
