import {
  isEnvironment,
  isMoney,
  isPresentation,
  isText,
  oneOf,
  optionally,
} from '../companion/answer.ts';
import type { Presentation } from '../companion/answer.ts';
import type { Environment, Money } from '../model/outcome.ts';
import { isObject } from '../platform/object.ts';

/** An application without a cart, as reported by the companion. */
export interface Prequalification {
  readonly id: string;
  readonly environment: Environment;
  readonly status: 'open' | 'prequalified' | 'pending' | 'declined' | 'not-found' | 'expired';
  /** Set only for `prequalified`, if the lender states an amount. */
  readonly amount?: Money | undefined;
  readonly applicationId?: string | undefined;
  /** Time after which a checkout can no longer continue the application (ISO 8601, UTC). */
  readonly expiresAt: string;
  /** Present while the shopper can continue. */
  readonly presentation?: Presentation | undefined;
}

const isStatus = oneOf('open prequalified pending declined not-found expired') as (
  value: unknown,
) => value is Prequalification['status'];

/**
 * Narrows to an application from the companion. Unknown members are accepted, but not an unknown
 * status, for which the widget could show nothing accurate.
 */
export function isPrequalification(value: unknown): value is Prequalification {
  return (
    isObject(value) &&
    isText(value.id) &&
    isEnvironment(value.environment) &&
    isStatus(value.status) &&
    optionally(isMoney)(value.amount) &&
    optionally(isText)(value.applicationId) &&
    isText(value.expiresAt) &&
    isPresentation(value.presentation)
  );
}
