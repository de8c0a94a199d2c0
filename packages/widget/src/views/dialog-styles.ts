import { css } from './sheet.ts';

/** Styles of the dialog, including its large-screen layout. */
export const dialogStyles = css`
  dialog {
    container-type: inline-size;
    /* A page may dim the element together with its button. */
    visibility: visible;
    pointer-events: auto;
    inline-size: 100%;
    max-inline-size: none;
    block-size: 100dvh;
    max-block-size: none;
    padding: env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom)
      env(safe-area-inset-left);
    border: 0;
    background: var(--_surface);
    color: var(--_text);
    overflow: hidden;
    overscroll-behavior: contain;
  }
  dialog[open] {
    display: flex;
    flex-direction: column;
  }
  dialog::backdrop {
    background: var(--financing-backdrop, rgb(10 16 22 / 0.55));
  }
  header {
    display: flex;
    flex: none;
    align-items: center;
    gap: 0.75em;
    padding-block: 0.5em;
    padding-inline: 1.25em 0.5em;
    border-block-end: 1px solid var(--_line);
  }
  h2 {
    flex: 1;
    font-size: 1.0625em;
  }
  [part='amount'] {
    color: var(--_muted);
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
  }
  [part='close'] {
    display: grid;
    flex: none;
    place-items: center;
    inline-size: 2.75em;
    block-size: 2.75em;
    padding: 0;
    border: 0;
    border-radius: var(--_radius);
    background: none;
  }
  [part='close']:hover {
    background: color-mix(in oklab, transparent, currentColor 8%);
  }
  @container (width < 18em) {
    /*
     * If the text is large and the screen small, the amount moves below the title to leave it
     * enough width.
     */
    header {
      flex-wrap: wrap;
    }
    [part='amount'] {
      flex: 100%;
      order: 1;
    }
  }
  .stage {
    display: grid;
    /* A message about a page in use appears below the page and leaves most of it visible. */
    grid-template: minmax(0, 1fr) fit-content(50%) / 100%;
    flex: 1;
    min-block-size: 0;
  }
  .stage > * {
    grid-area: 1 / 1;
  }
  .skeleton {
    padding: 2em 1.5em;
    background: var(--_surface);
  }
  i {
    display: block;
    block-size: 1em;
    margin-block-end: 1em;
    border-radius: 6px;
    background: var(--_line);
  }
  i:nth-child(1) {
    inline-size: 55%;
    block-size: 1.6em;
  }
  i:nth-child(2) {
    inline-size: 80%;
    margin-block-end: 2em;
  }
  i:nth-child(n + 3) {
    block-size: 3em;
  }
  i:last-child {
    margin-block-start: 2em;
  }
  @keyframes breathe {
    50% {
      opacity: 0.45;
    }
  }

  @media (min-width: 640px) and (min-height: 480px) {
    dialog {
      margin: auto;
      inline-size: var(--financing-dialog-width, 34em);
      max-inline-size: calc(100vw - 3em);
      block-size: min(46em, 100dvh - 3em);
      padding: 0;
      border-radius: calc(var(--_radius) * 1.6);
      box-shadow: 0 1.5em 4em rgb(10 16 22 / 0.3);
    }
  }
`;
