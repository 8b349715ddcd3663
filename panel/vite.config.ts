import { defineConfig } from 'vite';

/** The panel, built into the package; `vite dev` beside a server of `npm start` passes requests on to it. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/cue/panel/',
  build: {
    outDir: '../dist/panel',
    emptyOutDir: true,
    target: 'es2022',
    // An inlined file would be a data: address, which the page's content policy forbids.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // "use client" says nothing to a page that is all client.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
  server: { proxy: { '^/(cue/(?!panel)|api/)': 'http://127.0.0.1:3000' } },
});
