/* First words of a module: no entry instruction, then where MOD0 lies. All offsets in MOD0 count from MOD0. */
    .section .text.module_start, "ax"
    .globl __module_start
    .hidden __module_start
__module_start:
    .word 0
    .word __mod0 - __module_start

    .section .rodata.mod0, "a"
    .balign 8
__mod0:
    .ascii "MOD0"
    .word _DYNAMIC - __mod0
    .word __bss_start - __mod0
    .word __bss_end - __mod0
    .word __eh_frame_hdr_start - __mod0
    .word __eh_frame_hdr_end - __mod0
    .word __module_object - __mod0
    .hidden _DYNAMIC
    .hidden __bss_start
    .hidden __bss_end
    .hidden __eh_frame_hdr_start
    .hidden __eh_frame_hdr_end
    .hidden __module_object

    .section .rodata.module_name, "a"
    .balign 4
    .word 0
    .word 2f - 1f
1:  .ascii MODULE_NAME
2:

    .section .bss.module_object, "aw", %nobits
    .balign 16
    .globl __module_object
__module_object:
    .skip 0xD0
