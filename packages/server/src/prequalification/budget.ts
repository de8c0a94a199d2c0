/**
 * The limits of `POST /prequalifications`, which needs no order ticket. Every request counts,
 * including one that is refused or repeats a key. 0 means no limit.
 */
export interface PrequalificationBudget {
  /** Maximum number of requests per minute from one client IP address. */
  perAddress: number;
  /** Maximum number of requests per minute from all pages together. */
  total: number;
}

export const DEFAULT_PREQUALIFICATION_BUDGET: PrequalificationBudget = {
  perAddress: 20,
  total: 600,
};
