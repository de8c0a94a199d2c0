/** The service's environments (specification 5.4). */
export const environmentNames = ['uat', 'sandbox', 'production'] as const;
export type EnvironmentName = (typeof environmentNames)[number];

/**
 * Path of each environment's base URL on the API listener. The sandbox environment has the bare
 * origin; the others reveal a client that mistakes a base URL for an origin.
 */
export const environmentPaths: Readonly<Record<EnvironmentName, string>> = {
  sandbox: '',
  uat: '/uat',
  production: '/production',
};

/** Splits a path of the API listener into its environment and the path below the base URL. */
export function splitPath(path: string): { environment: EnvironmentName; below: string } {
  const found = environmentNames.find((name) => {
    const prefix = environmentPaths[name];
    return prefix !== '' && (path === prefix || path.startsWith(`${prefix}/`));
  });
  const environment = found ?? 'sandbox';
  return { environment, below: path.slice(environmentPaths[environment].length) };
}
