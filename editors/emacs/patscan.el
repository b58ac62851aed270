;;; patscan.el --- findings of patscan in Emacs  -*- lexical-binding: t -*-

;;; Commentary:

;; M-x patscan shows the findings of a trace in a compilation buffer: M-g n goes from one to the next.
;; M-x patscan-serve shows those of a report, or of a trace, on their lines, by eglot and flymake.

;;; Code:

(require 'compile)

(defvar patscan-command "patscan" "The program.")
(defvar patscan-modes '(c-mode c++-mode f90-mode fortran-mode) "Modes whose buffers show findings.")
(defvar eglot-server-programs)
(declare-function eglot "eglot")
(declare-function eglot--guess-contact "eglot")

(defun patscan (trace)
  "Show the findings of TRACE in a compilation buffer."
  (interactive "fTrace: ")
  (compile (format "%s %s --report gcc" (shell-quote-argument patscan-command)
                   (shell-quote-argument (expand-file-name trace)))))

(defun patscan-serve (source)
  "Show the findings of SOURCE, a JSON report or a trace, in this project's buffers."
  (interactive "fReport or trace: ")
  (require 'eglot)
  (add-to-list 'eglot-server-programs
               `(,patscan-modes . (,patscan-command "lsp" ,(expand-file-name source))))
  (apply #'eglot (eglot--guess-contact)))

(provide 'patscan)
;;; patscan.el ends here
