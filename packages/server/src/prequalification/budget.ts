/**
 * The limits of `POST /prequalifications`, which needs no order ticket. Each request counts, also one that
 * is refused or repeats a key. 0: no limit.
 */
export interface PrequalificationBudget {
  /** Requests per minute of one client address. */
  perAddress: number;
  /** Requests per minute of all pages together. */
  total: number;
}

export const DEFAULT_PREQUALIFICATION_BUDGET: PrequalificationBudget = {
  perAddress: 20,
  total: 600,
};
