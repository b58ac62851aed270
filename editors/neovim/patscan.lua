-- patscan.lua - findings of patscan in Neovim (0.7 and newer). Put it on the runtime path as lua/patscan.lua, then:
--
--     require('patscan').start('report.json')          -- or a trace
--
-- Marks come as diagnostics; :lua vim.lsp.codelens.refresh() shows what fixing a function would gain,
-- :lua vim.lsp.buf.hover() explains a line, :lua vim.lsp.buf.code_action() leads to the cause.
local patscan = {}

patscan.command = 'patscan'

-- `options`: further words of the command line, such as { '--source-root', 'src' }.
function patscan.start(source, options)
  local command = { patscan.command, 'lsp', vim.fn.fnamemodify(source, ':p') }
  vim.list_extend(command, options or {})
  local client = vim.lsp.start_client({ name = 'patscan', cmd = command, root_dir = vim.fn.getcwd() })
  if not client then
    return nil
  end
  -- Of several marks on a line the worst is the one to see.
  vim.diagnostic.config({ severity_sort = true }, vim.lsp.diagnostic.get_namespace(client))
  local attach = function(buffer)
    if vim.bo[buffer].buftype == '' and vim.api.nvim_buf_get_name(buffer) ~= '' then
      vim.lsp.buf_attach_client(buffer, client)
    end
  end
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) then
      attach(buffer)
    end
  end
  vim.api.nvim_create_autocmd('BufReadPost', { callback = function(event) attach(event.buf) end })
  return client
end

return patscan
