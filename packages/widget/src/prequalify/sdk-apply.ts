import type { Presentation } from '../companion/answer.ts';
import { FinancingApplicationEvent } from '../events/application-event.ts';
import { isObject } from '../platform/object.ts';
import type { SdkContext, Shown, Stage } from '../presentations/presentation.ts';
import { endOf } from '../presentations/sdk-ending.ts';
import { readySdk } from '../presentations/sdk-ready.ts';
import { showDialog } from '../presentations/sdk-dialogs.ts';

/** What the apply flow needs in addition to the stage. */
interface ApplyContext extends Pick<SdkContext, 'onError'> {
  readonly element: HTMLElement;
  readonly publicKey: string;
}

/**
 * Shows an application without a cart in the service's own SDK (published contract, section 8). The
 * SDK's callback has no token and only reports that the dialog has closed; the companion knows the
 * outcome.
 * @throws {BlockedError} if the SDK cannot be used
 */
export async function presentApply(
  settings: NonNullable<Presentation['sdk']>,
  { onModal, sessionToken, signal }: Stage,
  { element, onError, publicKey }: ApplyContext,
): Promise<Shown> {
  const sdk = await readySdk(settings, publicKey, signal);
  await onModal();
  const report = (data: Record<string, unknown>, status?: string) => {
    if (!signal.aborted) element.dispatchEvent(new FinancingApplicationEvent(data, status));
  };
  return showDialog(sdk, 'apply', element, signal, (settle) => ({
    sessionToken,
    onApplicationCreated: (applicationId: unknown) => report({ applicationId }),
    onApprovalStatusChange: (status: unknown, about: unknown) =>
      report(isObject(about) ? about : {}, String(status)),
    callback: (_data?: unknown, status?: unknown) => {
      const isCompleted = !isObject(status) || !status.code;
      // Reported as `pending` because only the companion knows the outcome.
      settle(
        isCompleted
          ? { type: 'ended', reason: 'pending' }
          : endOf(undefined, undefined, status, [], onError),
      );
    },
  }));
}
