import { digest } from './memory.ts';
import { clearTab, readTab, writeTab } from './tab-storage.ts';
import type { Configuration } from './configuration.ts';

type Shop = Pick<Configuration, 'companion' | 'environment'>;

/** Applications belong to a companion, not to an order. The storage key reveals neither. */
const nameOf = ({ companion, environment }: Shop) =>
  `financing-application:${digest(JSON.stringify([companion, environment]))}`;

/**
 * Stores a prequalification's application in this tab, for a later checkout in the same shop. The
 * ID reveals nothing without the companion's key.
 * @param until time after which the service no longer continues the application (ISO 8601)
 */
export function rememberApplication(shop: Shop, applicationId: string, until: string): void {
  writeTab(nameOf(shop), { applicationId, until });
}

/** @returns the ID of the application that a checkout can continue now */
export function recallApplication(shop: Shop): string | undefined {
  const { applicationId, until } = readTab(nameOf(shop)) ?? {};
  const isAlive = typeof until === 'string' && Date.parse(until) > Date.now();
  return isAlive && typeof applicationId === 'string' ? applicationId : undefined;
}

export function forgetApplication(shop: Shop): void {
  clearTab(nameOf(shop));
}
