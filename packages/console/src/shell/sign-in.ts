import { html } from 'lit';
import { ApiError } from '../api/client.ts';
import { type Session, signIn } from '../api/session.ts';
import { texts } from '../locale/locale.ts';
import { elementWith, optional } from '../parts/element.ts';
import { problemText } from '../parts/views.ts';

/**
 * The sign-in form: alone on the page, or in a dialog over the page after a session has ended.
 * Fires `signed-in` with the session.
 */
class SignIn extends elementWith({
  ended: false,
  problem: optional<string>(),
  isBusy: false,
}) {
  protected override firstUpdated(): void {
    this.querySelector('dialog')?.showModal();
    this.querySelector('input')?.focus();
  }

  async #submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (this.isBusy) return;
    const { shell } = texts();
    const input = this.querySelector('input');
    const token = input?.value.trim() ?? '';
    if (token === '') {
      this.problem = shell.tokenMissing;
      input?.focus();
      return;
    }
    this.isBusy = true;
    this.problem = undefined;
    try {
      const session = await signIn(token);
      if (input) input.value = '';
      this.querySelector('dialog')?.close();
      this.dispatchEvent(new CustomEvent<Session>('signed-in', { detail: session }));
    } catch (error) {
      const isWrong = error instanceof ApiError && error.status === 401;
      this.problem = isWrong ? shell.tokenInvalid : shell.unreachable;
      input?.focus();
    } finally {
      this.isBusy = false;
    }
  }

  #form() {
    const { shell } = texts();
    return html`<form @submit=${(event: SubmitEvent) => void this.#submit(event)} novalidate>
      <h1>${this.ended ? shell.sessionEnded : shell.signInTitle}</h1>
      <p class="quiet">${this.ended ? shell.sessionEndedText : shell.signInIntro}</p>
      <label for="token">${shell.token}</label>
      <input
        id="token"
        name="token"
        type="password"
        autocomplete="current-password"
        spellcheck="false"
        aria-invalid=${this.problem === undefined ? 'false' : 'true'}
        aria-describedby="token-problem"
      />
      ${problemText(this.problem, 'token-problem')}
      <wa-button type="submit" variant="brand" ?loading=${this.isBusy}>${shell.signIn}</wa-button>
    </form>`;
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

/** Reopens the dialog, because a second Escape closes it. After sign-in, the dialog is removed. */
function reopen(dialog: HTMLDialogElement): void {
  if (dialog.isConnected) dialog.showModal();
}

customElements.define('console-sign-in', SignIn);
