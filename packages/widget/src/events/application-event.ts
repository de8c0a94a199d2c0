/**
 * Fired when the service created an application (`status` is undefined) and when a lender decided
 * on it. Presentation `sdk` only; for shops that track approvals. Contains no data about the
 * shopper.
 */
export class FinancingApplicationEvent extends Event {
  static readonly type = 'financing-application';
  declare readonly applicationId: string | undefined;
  /** The lender's decision: `PENDING`, `PRE_APPROVED`, `APPROVED` or `DECLINE`. */
  declare readonly status: string | undefined;
  declare readonly lenderId: string | undefined;
  /** For display only: the service may rename a lender, but not change its ID. */
  declare readonly lenderName: string | undefined;

  constructor(data: Record<string, unknown>, status?: string) {
    super(FinancingApplicationEvent.type, { bubbles: true, composed: true });
    const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
    this.applicationId = text(data.applicationId);
    this.status = status;
    this.lenderId = text(data.lenderId);
    this.lenderName = text(data.lenderName);
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    'financing-application': FinancingApplicationEvent;
  }
}
