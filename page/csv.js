// Tables as text for other programs (RFC 4180).

export function csv(rows) {
  const cell = (v) => /[",\n]/.test(v) ? `"${String(v).replaceAll('"', '""')}"` : v;
  return rows.map((r) => r.map((v) => cell(String(v))).join(",")).join("\n") + "\n";
}
