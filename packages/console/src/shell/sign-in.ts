import type { SignInMethods } from '@financing-checkout/contract/reconciliation';
import { html, nothing } from 'lit';
import { ApiError } from '../api/client.ts';
import { currentSession, type Session, signIn, signInMethods } from '../api/session.ts';
import { texts } from '../locale/locale.ts';
import { Action } from '../parts/action.ts';
import { elementWith, optional } from '../parts/element.ts';
import { calloutView, maybe, problemText, quiet } from '../parts/views.ts';

/** A failed sign-in at the OpenID provider. The server returns to this page with the reason. */
interface Failure {
  reason: string;
  requestId: string;
}

/**
 * The sign-in form: alone on the page, or in a dialog over the page after a session has ended.
 * Fires `signed-in` with the session.
 */
class SignIn extends elementWith({
  ended: false,
  reason: '',
  methods: optional<SignInMethods>(),
  failure: optional<Failure>(),
}) {
  readonly #signIn = new Action(this, async () => {
    const input = this.querySelector('input');
    const session = await signIn(input?.value.trim() ?? '');
    if (input) input.value = '';
    this.#enter(session);
  });
  readonly #onReturn = () => void this.#resume();

  override connectedCallback(): void {
    super.connectedCallback();
    this.failure = takeFailure();
    addEventListener('focus', this.#onReturn);
    void this.#load();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('focus', this.#onReturn);
  }

  protected override firstUpdated(): void {
    this.querySelector('dialog')?.showModal();
  }

  protected override updated(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('methods') && this.methods?.provider === undefined) {
      this.querySelector('input')?.focus();
    }
  }

  async #load(): Promise<void> {
    // Whatever is wrong, the user can enter a token, and signing in says why it fails.
    this.methods = await signInMethods().catch(() => ({ token: true }));
  }

  /** Continues after the user signed in in another tab. */
  async #resume(): Promise<void> {
    const session = await currentSession().catch(() => undefined);
    if (session !== undefined && this.isConnected) this.#enter(session);
  }

  #enter(session: Session): void {
    this.querySelector('dialog')?.close();
    this.dispatchEvent(new CustomEvent<Session>('signed-in', { detail: session }));
  }

  async #submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const input = this.querySelector('input');
    if (input?.value.trim() === '') this.#signIn.refuse(texts().shell.tokenMissing);
    else if (this.#signIn.isRunning || (await this.#signIn.run())) return;
    input?.focus();
  }

  #problem(): string | undefined {
    const { shell } = texts();
    const { error, missing } = this.#signIn;
    if (error === undefined) return missing;
    return error instanceof ApiError && error.status === 401
      ? shell.tokenInvalid
      : shell.unreachable;
  }

  #form() {
    const { shell } = texts();
    const { methods } = this;
    return html`<form @submit=${(event: SubmitEvent) => void this.#submit(event)} novalidate>
      <h1>${this.ended ? shell.sessionEnded : shell.signInTitle}</h1>
      ${this.ended && this.reason !== '' ? html`<p lang="en">${this.reason}</p>` : nothing}
      ${this.ended ? html`<p class="quiet">${shell.sessionEndedText}</p>` : nothing}
      ${maybe(this.failure, failureView)}
      ${maybe(methods?.provider, (provider) => this.#providerView(provider))}
      ${methods?.token ? this.#tokenView(methods.provider !== undefined) : nothing}
    </form>`;
  }

  /** After a session ends, the page keeps its input, so the provider opens in a new tab. */
  #providerView({ name, startUrl }: NonNullable<SignInMethods['provider']>) {
    const { shell } = texts();
    const { hash, pathname, search } = location;
    const query = new URLSearchParams({ return: pathname + search + hash });
    return html`<p class="quiet">${this.ended ? shell.signInInTab : shell.providerIntro}</p>
      <wa-button
        variant="brand"
        href=${`${startUrl}?${query.toString()}`}
        target=${this.ended ? '_blank' : '_self'}
        >${shell.signInWith(name)}</wa-button
      >`;
  }

  #tokenView(isSecond: boolean) {
    const { shell } = texts();
    const problem = this.#problem();
    return html`${
        isSecond
          ? html`<p class="quiet or">${shell.signInOr}</p>`
          : this.ended
            ? nothing
            : html`<p class="quiet">${shell.signInIntro}</p>`
      }
      <label for="token">${shell.token}</label>
      <input
        id="token"
        name="token"
        type="password"
        autocomplete="current-password"
        spellcheck="false"
        aria-invalid=${problem === undefined ? 'false' : 'true'}
        aria-describedby="token-problem"
      />
      ${problemText(problem, 'token-problem')}
      <wa-button
        type="submit"
        variant=${isSecond ? 'neutral' : 'brand'}
        appearance=${isSecond ? 'outlined' : 'accent'}
        ?loading=${this.#signIn.isRunning}
        >${shell.signIn}</wa-button
      >`;
  }

  protected override render() {
    if (this.ended) {
      return html`<dialog
        class="sign-in"
        @cancel=${(event: Event) => event.preventDefault()}
        @close=${({ currentTarget }: Event) => reopen(currentTarget as HTMLDialogElement)}
      >
        ${this.#form()}
      </dialog>`;
    }
    return html`<main class="sign-in alone">${this.#form()}</main>`;
  }
}

function failureView({ reason, requestId }: Failure) {
  const { shell } = texts();
  const known: Readonly<Record<string, string>> = shell.signInFailures;
  const text = Object.hasOwn(known, reason) ? known[reason] : shell.signInFailed;
  return calloutView('danger', html`${text} ${quiet(shell.reference(requestId), true)}`, {
    role: 'alert',
  });
}

/** Returns the failed sign-in stated in the URL, and removes it from the URL. */
function takeFailure(): Failure | undefined {
  const url = new URL(location.href);
  const reason = url.searchParams.get('sign-in');
  const requestId = url.searchParams.get('request') ?? '';
  if (reason === null) return undefined;
  url.searchParams.delete('sign-in');
  url.searchParams.delete('request');
  history.replaceState(history.state, '', url);
  return { reason, requestId };
}

/** Reopens the dialog, because a second Escape closes it. After sign-in, the dialog is removed. */
function reopen(dialog: HTMLDialogElement): void {
  if (dialog.isConnected) dialog.showModal();
}

customElements.define('console-sign-in', SignIn);
