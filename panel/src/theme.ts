/** Dark or light as the host is: the page that embeds the panel, else the system. */
export function followTheme(): void {
  const own = document.documentElement;
  const host = hostDocument();
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    const isDark = host === null ? system.matches : host.classList.contains('dark');
    own.dataset.theme = isDark ? 'dark' : 'light';
  };
  apply();
  system.addEventListener('change', apply);
  if (host === null) return;
  new MutationObserver(apply).observe(host, { attributes: true, attributeFilter: ['class'] });
}

/** `null` where the panel stands alone, or in a page of another origin. */
function hostDocument(): HTMLElement | null {
  if (window.parent === window) return null;
  try {
    return window.parent.document.documentElement;
  } catch {
    return null;
  }
}
